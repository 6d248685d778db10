import type { Clock } from '../../clock.js';
import { errorFields, type Log } from '../log.js';

/** For how long errors of the same words are counted instead of told one by one, in ms. */
const GATHER_MS = 10_000;

/** The most different errors that are told apart at a time. The rest are counted together. */
const MOST_KINDS = 100;

const TOO_MANY_KINDS = `more than ${MOST_KINDS} kinds of errors came within ten seconds, and the rest were only counted`;

export type TellError = (error: unknown, line: string, fields?: object) => void;

/** Tells of an error at once, and of its repetitions later in one line: a store that fails, fails every request. */
export function errorLines(log: Log, clock: Clock): TellError {
  const repeated = new Map<string, number>();
  /** Calls `act` some time later with how often the key came again until then. Returns whether this was the first time. */
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
