import type { Clock } from '../../base/time/clock.js';
import { errorFields, type Log } from '../log.js';

/** For how long repetitions are counted before one line tells them, in ms. Twice as long each time while they go on. */
const GATHER_MS = 10_000;
const MOST_GATHER_MS = 600_000;

/** The most kinds of errors that are counted separately at a time. The rest are counted together. */
const MOST_KINDS = 100;

const REST = '';
const TOO_MANY_KINDS = `more than ${MOST_KINDS} kinds of errors came within a short time, and the rest were only counted`;

/** Errors with one code are of one kind, whatever their text and the destination at which they came. */
export type TellError = (error: unknown, line: string, destination?: string) => void;

interface Repeated {
  readonly line: string;
  error: object;
  again: number;
  readonly destinations: Set<string>;
}

/** Logs an error at once, and its repetitions later in one line: a store that fails, fails every request and destination. */
export function errorLines(log: Log, clock: Clock): TellError {
  const repeated = new Map<string, Repeated>();
  const gather = (key: string, kind: Repeated, ms: number): void => {
    clock.after(ms, () => {
      if (kind.again === 0) return void repeated.delete(key);
      log.error({ ...destinationsOf(kind), ...kind.error, again: kind.again }, kind.line);
      kind.again = 0;
      kind.destinations.clear();
      gather(key, kind, Math.min(2 * ms, MOST_GATHER_MS));
    });
  };
  const begin = (key: string, kind: Repeated): void => {
    repeated.set(key, kind);
    gather(key, kind, GATHER_MS);
  };
  return (thrown, line, destination) => {
    const error = errorFields(thrown);
    const own = JSON.stringify([line, error.code ?? error.error]);
    const key = repeated.has(own) || repeated.size < MOST_KINDS ? own : REST;
    const kind = repeated.get(key);
    if (kind === undefined) {
      log.error({ ...(destination !== undefined && { destination }), ...error }, line);
      const first = key === REST ? { line: TOO_MANY_KINDS, error: {} } : { line, error };
      begin(key, { ...first, again: 0, destinations: new Set() });
      return;
    }
    kind.again++;
    if (key !== REST) kind.error = error;
    if (destination !== undefined) kind.destinations.add(destination);
  };
}

/** The name of the one, or the number of several. */
function destinationsOf({ destinations }: Repeated): object {
  const [destination] = destinations;
  if (destination === undefined) return {};
  return destinations.size === 1 ? { destination } : { destinations: destinations.size };
}
