import { describeProcess, StoreInUseError } from '../store/store-errors.js';

/** The exit codes of the command. */
export const EXIT = {
  ok: 0,
  /** The command ran, and its result is negative: a rejected row, a signature that does not match. */
  failed: 1,
  /** The command line is wrong. */
  usage: 2,
  /** A file, folder, port or store cannot be used, or has mistakes. */
  unusable: 3,
  /** A collector or service does not answer, or refuses. */
  refused: 4,
  interrupted: 130,
  /** The reader of standard output has closed it. */
  brokenPipe: 141,
} as const;

export interface CliErrorOptions {
  /** @default EXIT.usage */
  readonly exitCode?: number | undefined;
  /** Extra fields of the error with `--json`. */
  readonly fields?: object | undefined;
  /** The error that it explains. Its code is that of this one. */
  readonly cause?: unknown;
}

/** Ends a command with a one-line reason. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: number;
  readonly fields: object;

  constructor(message: string, { exitCode = EXIT.usage, fields = {}, cause }: CliErrorOptions = {}) {
    super(message, { cause });
    this.exitCode = exitCode;
    this.fields = fields;
  }
}

/**
 * Refuses options that change nothing here, because whoever gives one expects that it does something.
 *
 * @param given values by flag
 * @param reason what the flag begins: `is for …`
 * @throws CliError for the first that is given
 */
export function refuseUnused(given: Readonly<Record<string, unknown>>, reason: string): void {
  const [flag] = Object.entries(given).find(([, value]) => value !== undefined) ?? [];
  if (flag !== undefined) throw new CliError(`${flag} ${reason}`);
}

/** Makes the error for a file, folder or port that a command cannot use. */
export const unusable = (message: string, cause?: unknown): CliError =>
  new CliError(message, { exitCode: EXIT.unusable, cause });

/** Makes a handler that says what to do about the process that has the lock. Other errors it throws again. */
export const whenInUse =
  (explain: (owner: string) => string) =>
  (error: unknown): never => {
    throw error instanceof StoreInUseError ? unusable(explain(describeProcess(error)), error) : error;
  };

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Returns the `code` of an error of ours or of Node's, if it has one, or of the error that it explains. */
export const codeOf = (error: unknown): string | undefined => {
  const { code, cause } = (error ?? {}) as { readonly code?: unknown; readonly cause?: unknown };
  if (typeof code === 'string') return code;
  return error instanceof CliError ? codeOf(cause) : undefined;
};

/** The codes of errors that have none of their own, by how the command ends. */
const CODES: Readonly<Record<number, string>> = {
  [EXIT.failed]: 'EVENTFERRY_CLI_FAILED',
  [EXIT.usage]: 'EVENTFERRY_CLI_USAGE',
  [EXIT.unusable]: 'EVENTFERRY_CLI_UNUSABLE',
  [EXIT.refused]: 'EVENTFERRY_CLI_REFUSED',
  [EXIT.interrupted]: 'EVENTFERRY_CLI_INTERRUPTED',
};
export const codeFor = (exitCode: number): string => CODES[exitCode] ?? 'EVENTFERRY_CLI_FAILED';

/** The exit codes for the package's errors, by their codes, and for what the system forbids. */
const KINDS: readonly (readonly [code: RegExp, exitCode: number])[] = [
  // The options of a store stand in a configuration, not on the command line.
  [/^EVENTFERRY_STORE_INVALID_OPTION$/, EXIT.unusable],
  [/_INVALID_(OPTION|MESSAGE)$/, EXIT.usage],
  [/^EVENTFERRY_(PLAN|SERVICE|STORE|JOURNAL|LMDB|REDIS)_/, EXIT.unusable],
  [/^(EACCES|EPERM|EROFS)$/, EXIT.unusable],
  [/^EVENTFERRY_ADMIN_/, EXIT.refused],
];

/** Returns the exit code of a command that ends with this error. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof CliError) return error.exitCode;
  const code = codeOf(error) ?? '';
  return KINDS.find(([codes]) => codes.test(code))?.[1] ?? EXIT.failed;
}
