import type { Clock } from '../../base/time/clock.js';
import { errorFields, type Log } from '../service-log.js';
import { gather } from './gather.js';

/** The maximum number of kinds of errors that are counted separately at a time. The rest are counted together. */
const MOST_KINDS = 100;

const REST = '';
const TOO_MANY_KINDS = `more than ${MOST_KINDS} kinds of errors came within a short time, and the rest were only counted`;

/** Logs an error. Errors with the same code are of one kind, whatever their text and destination. */
export type TellError = (error: unknown, line: string, destination?: string) => void;

interface Repeated {
  readonly line: string;
  error: object;
  again: number;
  readonly destinations: Set<string>;
}

/** Logs an error at once, and its repetitions later in one line, because a failing store fails every request and destination. */
export function errorLines(log: Log, clock: Clock): TellError {
  const repeated = new Map<string, Repeated>();
  const begin = (key: string, kind: Repeated): void => {
    repeated.set(key, kind);
    gather(clock, () => {
      if (kind.again === 0) return !repeated.delete(key);
      log.error({ ...destinationsOf(kind), ...kind.error, again: kind.again }, kind.line);
      kind.again = 0;
      kind.destinations.clear();
      return true;
    });
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

/** Returns the name of the destination, or the number of destinations if there are several. */
function destinationsOf({ destinations }: Repeated): object {
  const [destination] = destinations;
  if (destination === undefined) return {};
  return destinations.size === 1 ? { destination } : { destinations: destinations.size };
}
