import { OptionError } from '../errors.js';
import { describe } from '../protocol/describe.js';
import type { Clock } from './clock.js';
import { cursorOf, placeOf } from './cursor.js';
import { letterPlaces, type MeantLetters } from './dead-letters.js';
import type { Place, Store } from './store.js';

/** How dead letters are replayed or discarded where they are many. */
export interface BulkOptions {
  /** The most deliveries a second. @default as many as the store can */
  rate?: number | undefined;
  /** Goes on after the `cursor` of an earlier run. */
  after?: string | undefined;
  /** Stops between two slices; what was done by then stays done. */
  signal?: AbortSignal | undefined;
  /** Told after each slice of up to 256 events; the next one waits for what it returns. */
  onProgress?: ((progress: BulkProgress) => unknown) | undefined;
}

/** How far a replay or discard is. */
export interface BulkProgress {
  /** Replayed or discarded in this run. */
  deliveries: number;
  /** Events that were looked at in this run. */
  events: number;
  /** Where another run goes on. */
  cursor: string;
}

export interface BulkChange {
  readonly store: Store;
  readonly clock: Pick<Clock, 'now' | 'after'>;
  readonly meant: MeantLetters;
  readonly options: BulkOptions;
  /** Changes one event and says how many of its deliveries. Those of a slice are asked for at once. */
  change(id: string): Promise<number>;
}

/** What is changed together: few enough that whoever stores meanwhile hardly waits. */
const SLICE = 256;

/** In how many slices a second's worth goes out, where there is a rate. */
const SLICES_A_SECOND = 10;

const LONG_MS = 2 ** 30;

/** Changes dead letters slice by slice and gives how many deliveries those were. Keeps the process alive until then. */
export async function changeLetters({ store, clock, meant, options, change }: BulkChange): Promise<number> {
  const { rate, after, signal, onProgress } = checkOptions(options);
  const size = Math.min(SLICE, Math.ceil(rate / SLICES_A_SECOND));
  const hold = setInterval(() => {}, LONG_MS);
  const progress = { deliveries: 0, events: 0 };
  let nextAt = clock.now();
  try {
    for await (const places of letterPlaces(store, meant, after, size)) {
      if (signal?.aborted) break;
      const changed = (await Promise.all(places.map(({ id }) => change(id)))).reduce((sum, count) => sum + count, 0);
      await store.flush();
      progress.deliveries += changed;
      progress.events += places.length;
      const last = places.at(-1);
      if (last !== undefined) await onProgress?.({ ...progress, cursor: cursorOf(last) });
      nextAt = Math.max(nextAt, clock.now() - 1_000 / SLICES_A_SECOND) + (changed * 1_000) / rate;
      await pause(nextAt - clock.now(), clock, signal);
    }
  } finally {
    clearInterval(hold);
  }
  return progress.deliveries;
}

interface CheckedOptions extends Pick<BulkOptions, 'signal' | 'onProgress'> {
  readonly rate: number;
  readonly after: Place | undefined;
}

function checkOptions({ rate = Number.POSITIVE_INFINITY, after, signal, onProgress }: BulkOptions): CheckedOptions {
  if (typeof rate !== 'number' || !(rate > 0))
    throw new OptionError('rate', 'a number of deliveries a second above 0', describe(rate));
  const place = after === undefined ? undefined : placeOf(after);
  if (after !== undefined && place === undefined)
    throw new OptionError('after', 'the `cursor` of an earlier run', describe(after));
  return { rate, after: place, signal, onProgress };
}

/** Lets others have their turn, and waits for the rate. */
async function pause(ms: number, clock: Pick<Clock, 'after'>, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
  if (!(ms > 0) || signal?.aborted) return;
  await new Promise<void>((resolve) => {
    const end = (): void => {
      cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const cancel = clock.after(Math.min(ms, LONG_MS), end);
    signal?.addEventListener('abort', end);
  });
}
