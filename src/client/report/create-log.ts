import { onRejection } from '../../base/errors/on-rejection.js';
import { inOwnContext } from '../../base/platform/node.js';
import { printable } from '../../base/text/printable.js';
import { debugLogger } from '../platform/node.js';
import { LINE_PREFIX, type Logger, type Write } from './logger.js';

export type ClientLog = ReturnType<typeof createLog>;

/**
 * Makes a client's log. Steps are logged if `DEBUG` asks for them, to the logger or else to standard error; warnings and errors
 * always go to the logger, if there is one. A logger that throws, or whose promise rejects, does no harm. If a logger itself
 * tracks something, that is not logged, because it would never end.
 *
 * @param fallback receives the lines if there is no logger; undefined unless steps are wanted
 */
export function createLog(logger: Logger | undefined, fallback: Logger | undefined = debugLogger()) {
  const target = logger ?? fallback;
  // Errors of a broken logger are ignored, because only a logger could report them.
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
  return {
    /** True if there is a logger for errors. */
    hasReader: target !== undefined,
    /** Undefined unless steps are wanted, so that lines are built only for a log that shows them. */
    debug: fallback && write('debug'),
    warn: write('warn'),
    error: write('error'),
  };
}
