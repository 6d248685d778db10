/** The logger of the service: pino, or anything with these methods. No line holds a key, a token, a secret or a body. */
export interface Log {
  debug(fields: object, line: string): void;
  info(fields: object, line: string): void;
  warn(fields: object, line: string): void;
  error(fields: object, line: string): void;
}

const nothing = (): void => {};

export const silentLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/** Describes an error for a log line, without its stack and without the data it is about. */
export const errorFields = (error: unknown): { error: string; code?: string } => {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  const text = error instanceof Error ? error.message : String(error);
  return { error: text, ...(typeof code === 'string' && { code }) };
};
