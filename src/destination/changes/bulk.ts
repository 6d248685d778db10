import { abortSignal, callback, type Rules } from '../../base/options/check-options.js';
import { type Clock, LONGEST_TIMER_MS } from '../../base/time/clock.js';
import type { EventStore } from '../../store/event-store.js';

/** Options for the replay or discard of many deliveries. */
export interface BulkOptions {
  /** The most deliveries a second. @default as many as the store can */
  rate?: number | undefined;
  /** Continues after this `cursor` of an earlier run. */
  after?: string | undefined;
  /** Aborting it stops the run between two slices. Slices that are already done stay done. */
  signal?: AbortSignal | undefined;
  /** Called after each slice of up to 128 events. At most one further slice starts before the returned promise settles. */
  onProgress?: ((progress: BulkProgress) => unknown) | undefined;
}

/** The progress of a replay or discard. */
export interface BulkProgress {
  /** The number of deliveries that this run replayed or discarded. */
  deliveries: number;
  /** The number of events that this run examined. */
  events: number;
  /** Pass this as `after` to continue in another run. */
  cursor: string;
}

/** @param isCursor returns true for a text that an earlier run may have returned as its cursor */
export const bulkRules = (isCursor: (text: string) => boolean): Rules<BulkOptions> => ({
  rate: {
    expected: 'a number of deliveries a second above 0',
    holds: (rate) => typeof rate === 'number' && rate > 0,
  },
  after: {
    expected: 'the `cursor` of an earlier run',
    holds: (cursor) => typeof cursor === 'string' && isCursor(cursor),
  },
  signal: abortSignal,
  onProgress: callback,
});

export interface BulkChange<K> {
  readonly store: Pick<EventStore, 'flush'>;
  readonly clock: Pick<Clock, 'now' | 'after' | 'hold'>;
  readonly options: BulkOptions;
  /** Reads pages of at most `size` keys of events that may match, starting after the cursor. */
  keys(cursor: string | undefined, size: number): AsyncIterable<readonly K[]>;
  cursorOf(key: K): string;
  /** Changes one event and returns how many of its deliveries changed. It is called for all events of a slice at once. */
  change(key: K): Promise<number>;
}

/** How many events are changed together: few enough that a concurrent `deliver()` hardly waits. */
const SLICE = 128;

/** With a rate, the work of a second is split into this many slices. */
const SLICES_A_SECOND = 10;

/**
 * Changes deliveries slice by slice and returns how many it changed. Keeps the process alive until then. Without a rate, a slice
 * starts while the one before it is being written; otherwise most of the time would go into waiting for a remote store.
 */
export async function changeDeliveries<K>(change: BulkChange<K>): Promise<number> {
  const { clock, options } = change;
  const { rate = Number.POSITIVE_INFINITY, signal, onProgress } = options;
  const isPaced = rate < Number.POSITIVE_INFINITY;
  const size = Math.min(SLICE, Math.ceil(rate / SLICES_A_SECOND));
  const release = clock.hold();
  const total = { deliveries: 0, events: 0 };
  let nextAt = clock.now();
  let before: Promise<Slice<K>> | undefined;
  const finish = async (slice: Promise<Slice<K>> | undefined): Promise<void> => {
    if (slice === undefined) return;
    const { deliveries, keys } = await slice;
    total.deliveries += deliveries;
    total.events += keys.length;
    nextAt = Math.max(nextAt, clock.now() - 1_000 / SLICES_A_SECOND) + (deliveries * 1_000) / rate;
    const last = keys.at(-1);
    if (last !== undefined) await onProgress?.({ ...total, cursor: change.cursorOf(last) });
  };
  try {
    for await (const keys of change.keys(options.after, size)) {
      if (signal?.aborted) break;
      const slice = changeSlice(change, keys);
      // `finish` rejects with the same error, unless the slice before has already failed.
      slice.catch(() => {});
      await finish(before);
      before = slice;
      if (isPaced) {
        await finish(slice);
        before = undefined;
      }
      await pause(isPaced ? nextAt - clock.now() : 0, clock, signal);
    }
    await finish(before);
  } finally {
    release();
  }
  return total.deliveries;
}

interface Slice<K> {
  readonly keys: readonly K[];
  readonly deliveries: number;
}

async function changeSlice<K>({ store, change }: BulkChange<K>, keys: readonly K[]): Promise<Slice<K>> {
  const changed = await Promise.all(keys.map(change));
  await store.flush();
  return { keys, deliveries: changed.reduce((sum, count) => sum + count, 0) };
}

/** Yields to other work, then waits as long as the rate demands. */
async function pause(ms: number, clock: Pick<Clock, 'after'>, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
  if (!(ms > 0) || signal?.aborted) return;
  await new Promise<void>((resolve) => {
    const end = (): void => {
      cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const cancel = clock.after(Math.min(ms, LONGEST_TIMER_MS), end);
    signal?.addEventListener('abort', end);
  });
}
