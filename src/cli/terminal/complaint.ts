import { printable } from '../../base/text/printable.js';
import type { PlanError } from '../../plan/plan-errors.js';
import type { ConfigError } from '../../service/config/config-errors.js';
import { CliError, codeFor, codeOf, EXIT, exitCodeOf, reasonOf } from '../cli-error.js';
import { type CliCommand, type CliContext, CommandError, isHelp } from '../command.js';

/** Prints why the program ends, and sets its exit code. */
export function complain(program: CliCommand, context: CliContext, error: unknown, isJson: boolean): void {
  // Commander prints help when a subcommand is missing, which is a usage error here.
  if (isHelp(error)) {
    context.exit(error.exitCode === 0 ? EXIT.ok : EXIT.usage);
    return;
  }
  const failed = error instanceof CommandError ? error : new CommandError(program, error);
  const { text, record, exitCode } = complaintOf(failed);
  context.err.write(`${isJson ? JSON.stringify(record) : text}\n`);
  context.exit(exitCode);
}

/**
 * Describes an error as JSON, and as one line after the mistakes in a file, if there are any. Options are named by their flags. The
 * name of the command comes first in the line, and the code last.
 */
export function complaintOf({ command, cause }: CommandError) {
  const name = command.topName;
  const [message, ...mistakes] = linesOf(cause);
  const line = withFlags(message, (option) => command.flagOf(option));
  const exitCode = exitCodeOf(cause);
  const code = codeOf(cause) ?? codeFor(exitCode);
  const record = { command: name, code, message: line, ...fieldsOf(cause) };
  // Messages of Node already contain their code.
  const coded = line.includes(code) ? line : `${line} (${code})`;
  return {
    text: [...mistakes.map((mistake) => mistake.trim()), `${name}: ${coded}`].map(printable).join('\n'),
    record: { error: record },
    exitCode,
  };
}

/** Splits the message from the list of mistakes in a file, if the error has one. */
function linesOf(error: unknown): [message: string, ...mistakes: string[]] {
  if (!hasProblems(error)) return [reasonOf(error).replaceAll('\n', ' ')];
  const [message = '', ...mistakes] = reasonOf(error).split('\n');
  return [message, ...mistakes];
}

/** Returns the fields that explain the error. */
function fieldsOf(error: unknown): object {
  if (hasProblems(error)) return { file: error.file, problems: error.problems };
  return error instanceof CliError ? error.fields : {};
}

/** Tells whether the error lists the mistakes of a configuration or a plan. */
const hasProblems = (error: unknown): error is ConfigError | PlanError =>
  error instanceof Error && 'problems' in error && Array.isArray(error.problems);

/** Replaces an option in backticks by its flag: `webhooks[0].url` by `--webhook`. */
const withFlags = (message: string, flagOf: (option: string) => string | undefined): string =>
  message.replaceAll(/`([a-z]\w*)((?:\[\d+\])?(?:\.\w+)*)`/gi, (whole, option: string) => flagOf(option) ?? whole);
