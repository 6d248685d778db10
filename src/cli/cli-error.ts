/** The exit codes of the process, by what happened. */
export const EXIT = {
  ok: 0,
  /** The command did what it could, and the answer is no: a rejected row, a signature that does not match. */
  failed: 1,
  /** The command line is wrong. */
  usage: 2,
  /** A file, folder, port or store cannot be used, or has mistakes. */
  unusable: 3,
  /** A collector or service does not answer, or refuses. */
  refused: 4,
  interrupted: 130,
} as const;

export interface CliErrorOptions {
  /** @default EXIT.usage */
  readonly exitCode?: number | undefined;
  /** What programs get beside the message, with `--json`. */
  readonly fields?: object | undefined;
}

/** Why a command stops, in one line. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: number;
  readonly fields: object;

  constructor(message: string, { exitCode = EXIT.usage, fields = {} }: CliErrorOptions = {}) {
    super(message);
    this.exitCode = exitCode;
    this.fields = fields;
  }
}

/** A file, folder or port that a command cannot use. */
export const unusable = (message: string): CliError => new CliError(message, { exitCode: EXIT.unusable });

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The `code` of an error of ours or of Node's, if it has one. */
export const codeOf = (error: unknown): string | undefined => {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
};

/** The errors of the package by their codes. */
const KINDS: readonly (readonly [code: RegExp, exitCode: number])[] = [
  [/_INVALID_(OPTION|MESSAGE)$/, EXIT.usage],
  [/^EVENTFERRY_(PLAN|SERVICE|STORE|JOURNAL|LMDB|REDIS)_/, EXIT.unusable],
  [/^EVENTFERRY_ADMIN_/, EXIT.refused],
];

/** The exit code of a command that ends with this error. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof CliError) return error.exitCode;
  const code = codeOf(error) ?? '';
  return KINDS.find(([codes]) => codes.test(code))?.[1] ?? EXIT.failed;
}
