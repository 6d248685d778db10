import { EventferryError, problemText } from '../../errors.js';

/** One thing that is wrong in a configuration. Holds no secret, and nothing that came from the environment. */
export interface ConfigProblem {
  /** Where: `destinations[0].webhooks[1].url`. Empty where it is the file as a whole. */
  readonly path: string;
  /** From 1. What is missing is placed where it should stand: at what it is missing from. */
  readonly line: number;
  /** From 1, in UTF-16 code units. */
  readonly column: number;
  /** What should be there: `an integer from 0 to 65535`. */
  readonly expected: string;
  /** What is there, in a few words: `number 70000`. */
  readonly received: string;
}

/** A configuration is wrong, and none of it was taken. Its message lists every mistake, one a line. */
export class ConfigError extends EventferryError {
  override readonly name = 'ConfigError';
  readonly code = 'EVENTFERRY_SERVICE_INVALID_CONFIG';
  /** The file as it was named. */
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

/** There is no such file, or it cannot be read. `cause` is what reading it said. */
export class ConfigFileError extends EventferryError {
  override readonly name = 'ConfigFileError';
  readonly code = 'EVENTFERRY_SERVICE_CONFIG_UNREADABLE';
  readonly file: string;

  constructor(file: string, why: string, options?: ErrorOptions) {
    super(`${why}: ${file}`, options);
    this.file = file;
  }
}

/** One mistake as a line, beginning with the place as terminals and editors make a link of it. */
export function describeProblem(file: string, { path, line, column, expected, received }: ConfigProblem): string {
  return `${file}:${line}:${column}  ${problemText(path, expected, received)}`;
}
