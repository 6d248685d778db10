import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { CliError, EXIT } from '../cli-error.js';
import type { CliCommand } from '../command.js';
import type { Terminal } from './terminal.js';

/** The options of a command that removes data permanently. */
export interface RemovalOptions {
  /** Only print what would be deleted. @default false */
  readonly dryRun?: boolean | undefined;
  /** Do not ask for confirmation. @default false */
  readonly yes?: boolean | undefined;
  /** Delete everything. The command asks for confirmation first. @default false */
  readonly all?: boolean | undefined;
}

export const removal = (command: CliCommand): CliCommand =>
  command
    .option('--dry-run', 'print how much would go, and remove nothing')
    .option('--yes', 'do not ask before --all; required where there is no terminal');

/** What a command would delete: in words, and as JSON. */
interface Meant {
  readonly text: string;
  readonly record: object;
}

/**
 * Decides whether to delete: with `--dry-run` prints what would be deleted and resolves to false; with `--all` asks on the
 * terminal first.
 *
 * @throws CliError if the answer is no, or if there is no terminal to ask on
 */
export async function mayRemove(
  { dryRun = false, yes = false, all = false }: RemovalOptions,
  [verb, past]: readonly ['Drop', 'dropped'] | readonly ['Discard', 'discarded'],
  count: () => Promise<Meant>,
  terminal: Terminal,
): Promise<boolean> {
  if (!dryRun && (yes || !all)) return true;
  const { text, record } = await count();
  if (dryRun) terminal.print(`${text} would be ${past}`, { ...record, dryRun });
  else await confirm(`${verb} ${text}?`, terminal);
  return !dryRun;
}

/**
 * Asks for confirmation on the terminal.
 *
 * @throws CliError if the answer is no, or if there is no terminal to ask on
 */
export async function confirm(question: string, terminal: Terminal): Promise<void> {
  const { stdin } = process;
  if (stdin.isTTY !== true || terminal.err.isTTY !== true || terminal.isJson) {
    throw new CliError('--all removes for good; give --yes to go on, or --dry-run to see what would go');
  }
  terminal.err.write(`${question} [y/N] `);
  const lines = createInterface({ input: stdin });
  // Ctrl-D ends the input without completing a line.
  const answer = await Promise.race([once(lines, 'line'), once(lines, 'close')]);
  lines.close();
  if (/^y(es)?$/i.test(String(answer[0] ?? '').trim())) return;
  throw new CliError('nothing was removed', { exitCode: EXIT.failed });
}
