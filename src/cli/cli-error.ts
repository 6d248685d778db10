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
  /** The reader of standard output has closed it. This is the code for an end by SIGPIPE. */
  brokenPipe: 141,
} as const;

export interface CliErrorOptions {
  /** @default EXIT.usage */
  readonly exitCode?: number | undefined;
  /** Extra fields of the error in the output of `--json`. */
  readonly fields?: object | undefined;
  /** The error that this one explains. This error has the same code. */
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
 * Refuses options that have no effect here, because whoever gives one expects an effect.
 *
 * @param given the values by flag
 * @param reason the rest of a sentence that starts with the flag: `is for …`
 * @throws CliError for the first option that is given
 */
export function refuseUnused(given: Readonly<Record<string, unknown>>, reason: string): void {
  const [flag] = Object.entries(given).find(([, value]) => value !== undefined) ?? [];
  if (flag !== undefined) throw new CliError(`${flag} ${reason}`);
}

/** Makes the error for a file, folder or port that a command cannot use. */
export const unusable = (message: string, cause?: unknown): CliError =>
  new CliError(message, { exitCode: EXIT.unusable, cause });

/** Creates a handler that explains what to do about the process that holds the lock. It rethrows other errors. */
export const whenInUse =
  (explain: (owner: string) => string) =>
  (error: unknown): never => {
    throw error instanceof StoreInUseError ? unusable(explain(describeProcess(error)), error) : error;
  };

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Returns the `code` of an error of this package or of Node, or the code of the error that it explains, if there is one. */
export const codeOf = (error: unknown): string | undefined => {
  const { code, cause } = (error ?? {}) as { readonly code?: unknown; readonly cause?: unknown };
  if (typeof code === 'string') return code;
  return error instanceof CliError ? codeOf(cause) : undefined;
};

/** Returns the code for an error that has no other: `EVENTFERRY_CLI_USAGE` for `EXIT.usage`. */
export function codeFor(exitCode: number): string {
  const [name = 'failed'] = Object.entries(EXIT).find(([, code]) => code === exitCode) ?? [];
  return `EVENTFERRY_CLI_${name.toUpperCase()}`;
}

/** The exit codes for the package's error codes, and for errors of the system. */
const KINDS: readonly (readonly [code: RegExp, exitCode: number])[] = [
  // The options of a store are in a configuration, not on the command line.
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
