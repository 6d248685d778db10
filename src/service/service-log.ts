/** The logger of the service: pino, or any object with these methods. No line contains a key, a token, a secret or a body. */
export interface Log {
  debug(fields: object, line: string): void;
  info(fields: object, line: string): void;
  warn(fields: object, line: string): void;
  error(fields: object, line: string): void;
}

const nothing = (): void => {};

export const silentLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/** Describes an error for a log line. The stack and the data that the error is about are left out. */
export const errorFields = (error: unknown): { error: string; code?: string } => {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  const text = error instanceof Error ? error.message : String(error);
  return { error: text, ...(typeof code === 'string' && { code }) };
};
