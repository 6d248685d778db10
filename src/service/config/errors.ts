import { EventferryError, problemText } from '../../errors.js';

/** One mistake in a configuration. Holds no secret, and nothing from the environment. */
export interface ConfigProblem {
  /** Where: `destinations[0].webhooks[1].url`. Empty for the file as a whole. */
  readonly path: string;
  /** From 1. Of a missing value: the line of the object that lacks it. */
  readonly line: number;
  /** From 1, in UTF-16 code units. */
  readonly column: number;
  /** The expected value: `an integer from 0 to 65535`. */
  readonly expected: string;
  /** The value, in a few words: `number 70000`. */
  readonly received: string;
}

/** A configuration has mistakes, and none of it was taken. The message lists every mistake, one a line. */
export class ConfigError extends EventferryError {
  override readonly name = 'ConfigError';
  readonly code = 'EVENTFERRY_SERVICE_INVALID_CONFIG';
  /** The path, as it was given. */
  readonly file: string;
  /** All of them, in the order of the file. */
  readonly problems: readonly ConfigProblem[];

  constructor(file: string, problems: readonly ConfigProblem[]) {
    const count = problems.length === 1 ? '1 mistake' : `${problems.length} mistakes`;
    super([`${count} in ${file}`, ...problems.map((problem) => `  ${describeProblem(file, problem)}`)].join('\n'));
    this.file = file;
    this.problems = problems;
  }
}

/** There is no such file, or it cannot be read. `cause` is the error of the file system. */
export class ConfigFileError extends EventferryError {
  override readonly name = 'ConfigFileError';
  readonly code = 'EVENTFERRY_SERVICE_CONFIG_UNREADABLE';
  readonly file: string;

  constructor(file: string, why: string, options?: ErrorOptions) {
    super(`${why}: ${file}`, options);
    this.file = file;
  }
}

/** One mistake as a line. It begins with the place, which terminals and editors make a link. */
export function describeProblem(file: string, { path, line, column, expected, received }: ConfigProblem): string {
  return `${file}:${line}:${column}  ${problemText(path, expected, received)}`;
}
