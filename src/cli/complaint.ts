import { printable } from '../base/text/printable.js';
import type { PlanError } from '../plan/errors.js';
import type { ConfigError } from '../service/config/errors.js';
import { CliError, codeOf, exitCodeOf, reasonOf } from './cli-error.js';
import type { CommandError } from './command.js';

/** What a command says about the error that ended it. */
export interface Complaint {
  /** One line, below the mistakes in a file where there are any. */
  readonly text: string;
  /** The same for programs. */
  readonly record: { readonly error: object };
  readonly exitCode: number;
}

/** An error in words: with the options as the command has them, and behind the name of the command, never an argument. */
export function complaintOf({ command, cause }: CommandError): Complaint {
  const name = command.topName;
  const [message, ...mistakes] = linesOf(cause);
  const line = withFlags(message, (option) => command.flagOf(option));
  const code = codeOf(cause);
  return {
    text: [...mistakes.map((mistake) => mistake.trim()), `${name}: ${line}`].map(printable).join('\n'),
    record: { error: { command: name, ...(code === undefined ? {} : { code }), message: line, ...fieldsOf(cause) } },
    exitCode: exitCodeOf(cause),
  };
}

/** The message, and below it each mistake of a file, if the error lists any. */
function linesOf(error: unknown): [message: string, ...mistakes: string[]] {
  if (!hasProblems(error)) return [reasonOf(error).replaceAll('\n', ' ')];
  const [message = '', ...mistakes] = reasonOf(error).split('\n');
  return [message, ...mistakes];
}

/** What the error is about. */
function fieldsOf(error: unknown): object {
  if (hasProblems(error)) return { file: error.file, problems: error.problems };
  return error instanceof CliError ? error.fields : {};
}

/** Whether it is the error of a configuration or a plan. */
const hasProblems = (error: unknown): error is ConfigError | PlanError =>
  error instanceof Error && 'problems' in error && Array.isArray(error.problems);

/** Names the flag instead of the option inside: `--webhook` instead of `webhooks[0].url` in backticks. */
const withFlags = (message: string, flagOf: (option: string) => string | undefined): string =>
  message.replaceAll(/`([a-z]\w*)((?:\[\d+\])?(?:\.\w+)*)`/gi, (whole, option: string) => flagOf(option) ?? whole);
