import type { Clock } from '../../destination/clock.js';
import { errorFields, type Log } from '../log.js';

/** For how long errors of the same words are counted instead of told one by one, in ms. */
const GATHER_MS = 10_000;

/** The most different errors that are counted at a time. */
const MOST_KINDS = 100;

export type TellError = (error: unknown, line: string, fields?: object) => void;

/** Tells of an error at once, and of its repetitions later in one line: a store that fails, fails every request. */
export function errorLines(log: Log, clock: Clock): TellError {
  const repeated = new Map<string, number>();
  return (error, line, fields = {}) => {
    const told = { ...fields, ...errorFields(error) };
    const key = JSON.stringify([line, told]);
    const times = repeated.get(key);
    if (times !== undefined) {
      repeated.set(key, times + 1);
      return;
    }
    if (repeated.size >= MOST_KINDS) return;
    log.error(told, line);
    repeated.set(key, 0);
    clock.after(GATHER_MS, () => {
      const again = repeated.get(key) ?? 0;
      repeated.delete(key);
      if (again > 0) log.error({ ...told, again }, line);
    });
  };
}
