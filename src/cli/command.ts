import { Command, CommanderError, type ErrorOptions, type HelpContext, Option } from 'commander';
import { suggest } from '../base/options/suggest.js';
import { CliError, EXIT, reasonOf } from './cli-error.js';
import { type Output, Terminal } from './terminal/terminal.js';

/** The streams and the exit function that the program uses. */
export interface CliContext {
  readonly out: Output;
  readonly err: Output;
  exit(code: number): void;
}

/** What a command does: a function of its arguments, its options and the terminal. */
type Action = (...given: never[]) => Promise<number> | Promise<void>;

/** A command of the program. Its subcommands belong to the same class. */
export class CliCommand extends Command {
  readonly #context: CliContext;

  constructor(context: CliContext, name?: string) {
    super(name);
    this.#context = context;
  }

  override createCommand(name?: string): CliCommand {
    return new CliCommand(this.#context, name);
  }

  /** Makes an option with a value refuse another option as its value, and refuse to be given twice unless it collects a list. */
  override addOption(option: Option): this {
    super.addOption(option);
    if (!option.required) return this;
    const flag = option.long ?? option.flags;
    let isGiven = false;
    return this.on(`option:${option.name()}`, (value: string) => {
      const isList = Array.isArray(this.getOptionValue(option.attributeName()));
      if (isGiven && !isList) this.error(`${flag} is given twice; it takes one value`);
      if (this.options.some(({ long }) => long === value))
        this.error(`${flag}: expected a value, got the option ${value}`);
      isGiven = true;
    });
  }

  /** Adds examples below the help. Give each without `eventferry`. */
  examples(...examples: readonly string[]): this {
    return this.addHelpText('after', `\nExamples:\n${examples.map((line) => `  $ eventferry ${line}`).join('\n')}`);
  }

  /**
   * Sets the action and adds `--json`. `load` resolves to a function, which it imports only when the command runs, because help must
   * be fast. The function gets the arguments, the options and the terminal. It resolves to the exit code of the process, by default 0.
   */
  runs(load: () => Promise<Action>): this {
    return this.addOption(new Option('--json', 'print JSON, one object per line')).action(async () => {
      const { out, err } = this.#context;
      const options = this.opts();
      const terminal = new Terminal({ out, err, isJson: options['json'] === true });
      try {
        // Commander has parsed the arguments and options according to the command's declaration.
        const run = (await load()) as (...given: unknown[]) => Promise<number | undefined>;
        this.#context.exit((await run(...this.processedArgs, options, terminal)) ?? EXIT.ok);
      } catch (error) {
        throw new CommandError(this, error);
      }
    });
  }

  /** The first word after `eventferry`, such as `deliveries` for `deliveries list`. */
  get topName(): string {
    return this.parent instanceof CliCommand && this.parent.parent !== null ? this.parent.topName : this.name();
  }

  /** Finds the flag of a library option. The option may be the plural: `--webhook` for `webhooks`. */
  flagOf(option: string): string | undefined {
    const names = [option, option.replace(/s$/, '')];
    return this.options.find((known) => names.includes(known.attributeName()))?.long ?? undefined;
  }

  /**
   * Shows the help of the command named by the words after this one. Commander itself stops at the first word, and shows the help
   * of the whole program for an unknown word; this reports an unknown command instead.
   */
  override outputHelp(given?: object): void {
    // Commander passes nothing else. Its types also allow a callback, which is deprecated.
    const context = given as HelpContext | undefined;
    const [word] = this.#wordsBehind;
    const inner = this.commands.find((command) => command.name() === word);
    if (inner !== undefined) inner.outputHelp(context);
    else if (word === undefined || this.commands.length === 0) super.outputHelp(context);
    else this.#refuseCommand(word);
  }

  /** The words of the command line after the name of this command. */
  get #wordsBehind(): readonly string[] {
    if (this.parent instanceof CliCommand) return this.parent.#wordsBehind.slice(1);
    return this.args.filter((word) => word !== 'help' && !word.startsWith('-'));
  }

  #refuseCommand(word: string): never {
    const names = this.commands.map((command) => command.name());
    const meant = suggest(word, names);
    this.error(`unknown command '${word}'${meant === undefined ? '' : ` (Did you mean ${meant}?)`}`);
  }

  /** Reports a mistake in the command line. If there is no correction to suggest, the message names the help. */
  override error(message: string, options?: ErrorOptions): never {
    const line = withoutValue(message.replace(/^error: /, '').replaceAll('\n', ' '));
    const isAdvised = line.includes('Did you mean') || options?.code === 'commander.invalidArgument';
    throw new CommandError(this, new CliError(isAdvised ? line : `${line}; see ${pathOf(this)} --help`));
  }
}

/** An error, with the command in which it happened. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly command: CliCommand;

  constructor(command: CliCommand, cause: unknown) {
    super(reasonOf(cause), { cause });
    this.command = command;
  }
}

/** Hides the value of a misspelt option, because it may be a secret: `--secrt=hunter2`. */
const withoutValue = (message: string): string =>
  message.replace(/^unknown option '(?:(--[^'=]+)=|(-[^-']))(?:.*)'/, "unknown option '$1$2'");

/** The full name of a command, such as `eventferry deliveries list`. */
const pathOf = (command: Command): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;

/** Commander throws an error even for help and the version. */
export const isHelp = (error: unknown): error is CommanderError => error instanceof CommanderError;
