/** Every printed line starts with this, so that its reader knows where it comes from. */
export const LINE_PREFIX = 'eventferry: ';

/** The details of a log line, for programs that read them. They never contain the write key. */
export interface LogDetails {
  /** The code of the error, such as `EVENTFERRY_QUEUE_FULL`, or of the advice. */
  readonly code?: string | undefined;
  /** The number of the attempt that failed, from 1. */
  readonly attempt?: number | undefined;
  /** The number of messages that the line is about. */
  readonly messages?: number | undefined;
  /** How long all sending pauses, in milliseconds. */
  readonly delayMs?: number | undefined;
  readonly error?: unknown;
}

/** A logger: `console`, a winston logger, or anything with these methods. See docs/observability.md for pino. */
export interface Logger {
  debug(text: string, details: LogDetails): void;
  warn(text: string, details: LogDetails): void;
  error(text: string, details: LogDetails): void;
}

export type Write = (text: string, details?: LogDetails) => void;
