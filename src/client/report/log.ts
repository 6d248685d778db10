import { onRejection } from '../../base/errors/on-rejection.js';
import { inOwnContext } from '../../base/platform/node.js';
import { printable } from '../../base/text/printable.js';
import { debugLogger } from '../platform/node.js';
import { LINE_PREFIX } from './line-prefix.js';

/** What takes our log lines: a pino or winston logger, `console`, or anything with these methods. */
export interface Logger {
  debug(line: string): void;
  warn(line: string): void;
  error(line: string): void;
}

/**
 * One client's log. A logger that throws, or whose promise rejects, breaks nothing. One that tracks is not told of what that
 * does: it would have no end.
 */
export interface Log {
  /** Whether anyone reads the errors. */
  readonly hasReader: boolean;
  /** Absent unless steps are wanted, so that no line is made that goes unread. */
  readonly debug: ((line: string) => void) | undefined;
  warn(line: string): void;
  error(line: string): void;
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
  const write = (level: keyof Logger) => (line: string) => {
    if (isWriting) return;
    isWriting = true;
    try {
      onRejection(
        inOwnContext(() => target?.[level](printable(LINE_PREFIX + line))),
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
