import { onRejection } from '../../base/errors/on-rejection.js';
import { inOwnContext } from '../../base/platform/node.js';
import { printable } from '../../base/text/printable.js';
import { debugLogger } from '../platform/node.js';
import { LINE_PREFIX } from './line-prefix.js';
import type { Log, Logger, Write } from './logger.js';

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
