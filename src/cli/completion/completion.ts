import { Argument, type Command } from 'commander';
import type { CliCommand } from '../command.js';
import type { Terminal } from '../terminal/terminal.js';
import type { Completions } from './scripts.js';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

export function completionCommand(command: CliCommand): void {
  command
    .description('print the script that completes commands and options in a shell')
    .addArgument(new Argument('<shell>', 'whose script').choices(SHELLS))
    .examples('completion bash >> ~/.bashrc', 'completion fish > ~/.config/fish/completions/eventferry.fish')
    .runs(async () => async (shell: (typeof SHELLS)[number], _: object, terminal: Terminal) => {
      const scripts = await import('./scripts.js');
      const script = scripts[shell](completionsOf(rootOf(command)));
      terminal.print(script.trimEnd(), { shell, script });
    });
}

const rootOf = (command: Command): Command => (command.parent === null ? command : rootOf(command.parent));

/**
 * Returns the possible next words after each command. The path of a command is its words: `''` for `eventferry` alone, and
 * `journal list` for that subcommand.
 */
function completionsOf(command: Command, path: readonly string[] = []): Completions {
  const { commands, registeredArguments } = command;
  const options = command.options.filter(({ hidden }) => !hidden);
  return [
    {
      path: path.join(' '),
      words: [
        ...commands.map((inner) => ({ text: inner.name(), meaning: inner.description() })),
        ...registeredArguments.flatMap(({ argChoices = [] }) => argChoices.map((text) => ({ text, meaning: '' }))),
      ],
      options: [...options, command.createHelp().visibleOptions(command).at(-1)].flatMap((option) =>
        option?.long ? [{ text: option.long, meaning: option.description }] : [],
      ),
      values: options.flatMap(({ long, required, argChoices = [] }) =>
        long && required ? [{ option: long, choices: argChoices }] : [],
      ),
    },
    ...commands.flatMap((inner) => completionsOf(inner, [...path, inner.name()])),
  ];
}
