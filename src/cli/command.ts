import { Command, CommanderError, type ErrorOptions, Option } from 'commander';
import { type Output, Terminal } from './terminal.js';

/** Where the program prints, and how it sets its exit code. */
export interface CliContext {
  readonly out: Output;
  readonly err: Output;
  exit(code: number): void;
}

/** A command of the program. Those it contains are of the same kind. */
export class CliCommand extends Command {
  readonly #context: CliContext;

  constructor(context: CliContext, name?: string) {
    super(name);
    this.#context = context;
  }

  override createCommand(name?: string): CliCommand {
    return new CliCommand(this.#context, name);
  }

  /** Shows these below the help, each without `eventferry`. */
  examples(...examples: readonly string[]): this {
    return this.addHelpText('after', `\nExamples:\n${examples.map((line) => `  $ eventferry ${line}`).join('\n')}`);
  }

  /** Adds `--json`. The process ends with the code that `run` resolves with. */
  runs<Options, Args extends readonly unknown[]>(
    run: (terminal: Terminal, options: Options, ...args: Args) => Promise<number>,
  ): this {
    return this.addOption(new Option('--json', 'print JSON, one object per line')).action(async () => {
      const { out, err } = this.#context;
      const options = this.opts();
      const terminal = new Terminal({ out, err, isJson: options['json'] === true });
      // Commander has read both as the command declares them.
      this.#context.exit(await run(terminal, options as Options, ...(this.processedArgs as unknown as Args)));
    });
  }

  /** An error that suggests no correction names the help to read. */
  override error(message: string, options?: ErrorOptions): never {
    const isAdvised = message.includes('Did you mean') || options?.code === 'commander.invalidArgument';
    return super.error(isAdvised ? message : `${message}; see ${pathOf(this)} --help`, options);
  }
}

/** `eventferry deliveries list` */
const pathOf = (command: Command): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;

/** Commander throws for help and the version too. */
export const isHelp = (error: unknown): boolean =>
  error instanceof CommanderError && (error.exitCode === 0 || error.code === 'commander.help');
