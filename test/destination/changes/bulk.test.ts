import { describe, expect, test } from 'vitest';
import { newEvent } from '../../../src/delivery/completion-rule.js';
import type { BulkProgress } from '../../../src/destination/changes/bulk.js';
import type { DeadLetterFilter } from '../../../src/destination/changes/delivery-filter.js';
import type { Destination } from '../../../src/destination/destination.js';
import type { EventStore } from '../../../src/store/event-store.js';
import { MemoryStore } from '../../../src/store/memory/memory-store.js';
import { startEndpoint } from '../../scheduler/test-endpoint.js';
import { type FakeClock, settled } from '../../support/fake-clock.js';
import { openDestination } from '../open.js';

/** Opens a destination with dead letters `m0`, `m1`, …, accepted a millisecond apart and dead a second later. */
async function withMany(
  count: number,
): Promise<{ destination: Destination; clock: FakeClock; store: EventStore; left(): Promise<number> }> {
  const [endpoint, store] = [await startEndpoint(200), new MemoryStore()];
  for (let at = 0; at < count; at++) {
    await store.add(newEvent(`m${at}`, 'track', [endpoint.url], at, { bytes: 2 }), Buffer.from('{}'));
    await store.update(`m${at}`, (event) => ({
      ...event,
      isDead: true,
      urls: { [endpoint.url]: { phase: 'dead', at: at + 1_000, reason: 'permanent', history: [] } },
    }));
  }
  const { destination, clock } = await openDestination({ webhooks: [{ url: endpoint.url }], store });
  return { destination, clock, store, left: async () => (await store.deadTotals()).events };
}

describe('many dead letters', () => {
  test('many dead letters are changed slice by slice, with progress reports', async () => {
    const { destination, left } = await withMany(600);
    const told: BulkProgress[] = [];
    const leftThen: number[] = [];
    const onProgress = async (progress: BulkProgress): Promise<void> => {
      told.push(progress);
      leftThen.push(await left());
    };
    expect(await destination.discard({}, { onProgress })).toBe(600);
    expect(told.map(({ deliveries }) => deliveries)).toEqual([128, 256, 384, 512, 600]);
    expect(leftThen[0]).toBeGreaterThan(0);
  });

  test('many dead letters are each replayed once, even if the first run was stopped half way', async () => {
    const { destination, left } = await withMany(600);
    const stop = new AbortController();
    let cursor: string | undefined;
    const onProgress = (progress: BulkProgress): void => {
      cursor = progress.cursor;
      stop.abort();
    };
    const replayed = await destination.replay({}, { signal: stop.signal, onProgress });
    expect(replayed).toBeLessThan(600);
    expect(await left()).toBe(600 - replayed);
    expect(await destination.replay({}, { after: cursor })).toBe(600 - replayed);
    await destination.idle();
    expect(destination.counters()).toMatchObject({ replayed: 600, delivered: 600 });
  });

  test('many dead letters are changed at the given rate', async () => {
    const { destination, clock, left } = await withMany(100);
    const discarded = destination.discard({}, { rate: 20 });
    await settled();
    expect(await left()).toBe(98);
    for (let second = 1; second <= 4; second++) {
      for (let step = 0; step < 10; step++) {
        await clock.pass(100);
        await settled();
      }
      expect(await left()).toBe(98 - second * 20);
    }
    for (let step = 0; step < 10; step++) {
      await clock.pass(100);
      await settled();
    }
    expect(await discarded).toBe(100);
  });

  test('a discard leaves dead letters alone that do not match its filter', async () => {
    const { destination, left } = await withMany(600);
    const discard = (filter: DeadLetterFilter): Promise<number> => destination.discard(filter);
    expect(await discard({ reason: 'backlog-full' })).toBe(0);
    expect(await discard({ diedBefore: 1_000 })).toBe(0);
    expect(await discard({ diedBefore: 1_010 })).toBe(10);
    expect(await discard({ from: 100, to: 400 })).toBe(300);
    expect(await left()).toBe(290);
  });

  test.each([
    [{ rate: 0 }, 'rate'],
    [{ rate: Number.NaN }, 'rate'],
    [{ after: 'nowhere' }, 'after'],
  ])('a replay with %j is refused and changes nothing', async (options, option) => {
    const { destination, left } = await withMany(1);
    await expect(destination.replay({}, options)).rejects.toMatchObject({ option });
    expect(await left()).toBe(1);
  });
});
