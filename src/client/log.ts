import { onRejection } from '../on-rejection.js';
import { printable } from '../printable.js';
import { print, variable } from './platform/node.js';

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

/** What every line begins with, so that its reader knows where it comes from. */
export const LINE_PREFIX = 'eventferry: ';

/** The name under which `DEBUG` switches the steps on. */
const NAMESPACE = 'analytics';

/**
 * Steps are logged when `DEBUG` asks for them, to the logger or else to standard error; warnings and errors always go to the
 * logger, if there is one.
 */
export function createLog(logger: Logger | undefined, debug: string | undefined = variable('DEBUG')): Log {
  const wantsSteps = isDebugging(debug ?? '', NAMESPACE);
  const fallback: Logger | undefined = wantsSteps ? toStandardError : undefined;
  const target = logger ?? fallback;
  // A broken logger is its owner's to find; telling anyone would take a logger.
  const ignore = (): void => {};
  const prefix = logger === undefined ? timedPrefix : () => LINE_PREFIX;
  let isWriting = false;
  const write = (level: keyof Logger) => (line: string) => {
    if (isWriting) return;
    isWriting = true;
    try {
      onRejection(target?.[level](printable(`${prefix()}${line}`)), ignore);
    } catch {
      ignore();
    } finally {
      isWriting = false;
    }
  };
  const hasReader = target !== undefined;
  return { hasReader, debug: wantsSteps ? write('debug') : undefined, warn: write('warn'), error: write('error') };
}

/**
 * Whether `DEBUG` names a namespace, as the `debug` package reads it: names apart by commas or spaces, `*` for anything, a
 * leading `-` to leave out.
 */
export function isDebugging(debug: string, namespace: string): boolean {
  const names = debug.split(/[\s,]+/).filter((name) => name !== '');
  const matches = (name: string): boolean => patternOf(name).test(namespace);
  const isLeftOut = names.some((name) => name.startsWith('-') && matches(name.slice(1)));
  return !isLeftOut && names.some((name) => !name.startsWith('-') && matches(name));
}

const patternOf = (name: string): RegExp =>
  new RegExp(`^${name.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/\*+/g, '.*')}$`);

const timedPrefix = (): string => `${LINE_PREFIX}${new Date().toISOString()} `;

const toStandardError: Logger = { debug: print, warn: print, error: print };
