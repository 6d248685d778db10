import type { Clock } from '../../base/time/clock.js';
import { errorFields, type Log } from '../log.js';

/** For how long equal errors are counted instead of logged one by one, in ms. */
const GATHER_MS = 10_000;

/** The most kinds of errors that are counted separately at a time. The rest are counted together. */
const MOST_KINDS = 100;

const TOO_MANY_KINDS = `more than ${MOST_KINDS} kinds of errors came within ten seconds, and the rest were only counted`;

export type TellError = (error: unknown, line: string, fields?: object) => void;

/** Logs an error at once, and its repetitions later in one line: a store that fails, fails every request. */
export function errorLines(log: Log, clock: Clock): TellError {
  const repeated = new Map<string, number>();
  /** Calls `act` later with the number of repetitions of the key until then. Returns whether this was the first time. */
  const isFirst = (key: string, act: (again: number) => void): boolean => {
    const times = repeated.get(key);
    repeated.set(key, times === undefined ? 0 : times + 1);
    if (times !== undefined) return false;
    clock.after(GATHER_MS, () => {
      const again = repeated.get(key) ?? 0;
      repeated.delete(key);
      if (again > 0) act(again);
    });
    return true;
  };
  return (error, line, fields = {}) => {
    const told = { ...fields, ...errorFields(error) };
    const key = JSON.stringify([line, told]);
    const isOneTooMany = repeated.size >= MOST_KINDS && !repeated.has(key);
    const isNew = isOneTooMany
      ? isFirst('', (errors) => log.error({ errors }, TOO_MANY_KINDS))
      : isFirst(key, (again) => log.error({ ...told, again }, line));
    if (isNew) log.error(told, line);
  };
}
