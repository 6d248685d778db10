/** Why a command stops, in one line. */
export class CliError extends Error {
  override readonly name = 'CliError';
}

/** The exit codes of the process. */
export const EXIT = { ok: 0, failed: 1, interrupted: 130 } as const;

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The `code` of an error of ours or of Node's, if it has one. */
export const codeOf = (error: unknown): string | undefined => {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
};
