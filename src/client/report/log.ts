import { onRejection } from '../../base/errors/on-rejection.js';
import { inOwnContext } from '../../base/platform/node.js';
import { printable } from '../../base/text/printable.js';
import { debugLogger } from '../platform/node.js';
import { LINE_PREFIX } from './line-prefix.js';

/** What a line says, for programs that read it. Nothing in it holds the write key. */
export interface LogDetails {
  /** That of the error, such as `EVENTFERRY_QUEUE_FULL`, or of the advice. */
  readonly code?: string | undefined;
  /** Which attempt failed, from 1. */
  readonly attempt?: number | undefined;
  /** How many messages the line is about. */
  readonly messages?: number | undefined;
  /** For how long all sending pauses, in milliseconds. */
  readonly delayMs?: number | undefined;
  readonly error?: unknown;
}

/** What takes our log lines: `console`, a winston logger, or anything with these methods. See docs/observability.md for pino. */
export interface Logger {
  debug(text: string, details: LogDetails): void;
  warn(text: string, details: LogDetails): void;
  error(text: string, details: LogDetails): void;
}

type Write = (text: string, details?: LogDetails) => void;

/**
 * One client's log. A logger that throws, or whose promise rejects, breaks nothing. One that tracks is not told of what that
 * does: it would have no end.
 */
export interface Log {
  /** Whether anyone reads the errors. */
  readonly hasReader: boolean;
  /** Absent unless steps are wanted, so that no line is made that goes unread. */
  readonly debug: Write | undefined;
  readonly warn: Write;
  readonly error: Write;
}

/**
 * Steps are logged when `DEBUG` asks for them, to the logger or else to standard error; warnings and errors always go to the
 * logger, if there is one.
 *
 * @param fallback takes the lines where there is no logger; undefined unless steps are wanted
 */
export function createLog(logger: Logger | undefined, fallback: Logger | undefined = debugLogger()): Log {
  const target = logger ?? fallback;
  // A broken logger is its owner's to find; telling anyone would take a logger.
  const ignore = (): void => {};
  let isWriting = false;
  const write =
    (level: keyof Logger): Write =>
    (text, details = {}) => {
      if (isWriting) return;
      isWriting = true;
      try {
        onRejection(
          inOwnContext(() => target?.[level](printable(LINE_PREFIX + text), details)),
          ignore,
        );
      } catch {
        ignore();
      } finally {
        isWriting = false;
      }
    };
  const hasReader = target !== undefined;
  return { hasReader, debug: fallback && write('debug'), warn: write('warn'), error: write('error') };
}
