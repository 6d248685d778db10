import { EventferryError, problemText } from '../../base/errors/errors.js';

/** One mistake in a configuration. It contains no secret, and nothing from the environment. */
export interface ConfigProblem {
  /** The path of the value: `destinations[0].webhooks[1].url`. It is empty for the whole configuration. */
  readonly path: string;
  /** The line in the file, from 1; for a missing value, the line of its object. Absent when a program gave an object. */
  readonly line?: number | undefined;
  /** The column in the file, from 1, in UTF-16 code units. Absent when a program gave an object. */
  readonly column?: number | undefined;
  /** The expected value: `an integer from 0 to 65535`. */
  readonly expected: string;
  /** The value, in a few words: `number 70000`. */
  readonly received: string;
}

/** Thrown when a configuration has mistakes; no part of it is used. The message lists every mistake, one per line. */
export class ConfigError extends EventferryError {
  override readonly name = 'ConfigError';
  readonly code = 'EVENTFERRY_SERVICE_INVALID_CONFIG';
  /** The path as it was given; undefined when a program gave an object. */
  readonly file: string | undefined;
  /** All mistakes. Those in a file are in the order of the file. */
  readonly problems: readonly ConfigProblem[];

  constructor(file: string | undefined, problems: readonly ConfigProblem[]) {
    const count = problems.length === 1 ? '1 mistake' : `${problems.length} mistakes`;
    super(
      [
        `${count} in ${file ?? 'the configuration'}`,
        ...problems.map((problem) => `  ${describeProblem(file, problem)}`),
      ].join('\n'),
    );
    this.file = file;
    this.problems = problems;
  }
}

/** Thrown when the file does not exist or cannot be read. `cause` is the error of the file system. */
export class ConfigFileError extends EventferryError {
  override readonly name = 'ConfigFileError';
  readonly code = 'EVENTFERRY_SERVICE_CONFIG_UNREADABLE';
  readonly file: string;

  constructor(file: string, why: string, options?: { cause?: unknown }) {
    super(`${why}: ${file}`, options);
    this.file = file;
  }
}

/** Describes a mistake in one line. For a file it begins with the place, which terminals and editors turn into a link. */
function describeProblem(file: string | undefined, { path, line, column, expected, received }: ConfigProblem): string {
  const place = file === undefined ? '' : `${file}:${line}:${column}  `;
  return place + problemText(path, expected, received);
}
