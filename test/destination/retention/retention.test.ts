import { describe, expect, test } from 'vitest';
import { newEvent } from '../../../src/delivery/completion-rule.js';
import type { Dead } from '../../../src/delivery/state.js';
import type { DestinationEvents } from '../../../src/destination/destination-events.js';
import type { DeadLetterLimit } from '../../../src/destination/settings/destination-settings.js';
import { MemoryStore } from '../../../src/store/memory/memory-store.js';
import { startEndpoint } from '../../scheduler/test-endpoint.js';
import { FakeClock } from '../../support/fake-clock.js';
import { next, openDestination } from '../open.js';
import { track } from '../track.js';

const [A, B] = ['https://a.example/', 'https://b.example/'];
const DAY = 24 * 60 * 60_000;
const MINUTE = 60_000;

const dead: Dead = { phase: 'dead', at: 0, reason: 'permanent', history: [] };

/** Opens a destination with this many dead letters of 10 bytes, accepted a second apart up to now. */
async function withLetters(count: number, maxDeadLetters?: DeadLetterLimit) {
  const [clock, store] = [new FakeClock(), new MemoryStore()];
  for (let index = 0; index < count; index++) {
    const at = clock.now() - (count - index) * 1_000;
    await store.add(newEvent(`m${index}`, 'track', [A], at, { bytes: 10 }), Buffer.alloc(10));
    await store.update(`m${index}`, (event) => ({ ...event, isDead: true, urls: { [A]: dead } }));
  }
  const settings = { webhooks: [{ url: A }], settle: 'each' as const, store, maxDeadLetters };
  const { destination } = await openDestination(settings, { clock });
  const dropped: DestinationEvents['dropped'][] = [];
  destination.on('dropped', (report) => dropped.push(report));
  const left = async (): Promise<number> => (await store.deadTotals()).events;
  return { clock, store, destination, dropped, left };
}

describe('dead letters', () => {
  test('dead letters beyond the maximum number are deleted, beginning with those accepted first', async () => {
    const { clock, store, destination, dropped, left } = await withLetters(600, { events: 100 });
    await clock.pass(MINUTE);
    await expect.poll(left).toBe(100);
    expect((await store.dead(undefined, 1))[0]?.id).toBe('m500');
    await expect.poll(() => dropped).toEqual([{ reason: 'count', events: 500 }]);
    expect(destination.counters().dropped).toEqual({ age: 0, count: 500, bytes: 0 });
  });

  test('dead letters beyond the maximum bytes are deleted, and no others', async () => {
    const { clock, dropped, left } = await withLetters(600, { bytes: 1_005 });
    await clock.pass(MINUTE);
    await expect.poll(() => dropped).toEqual([{ reason: 'bytes', events: 500 }]);
    expect(await left()).toBe(100);
  });

  test('dead letters are deleted when they are too old', async () => {
    const { clock, dropped, left } = await withLetters(600, { age: 10 * MINUTE });
    await clock.pass(MINUTE);
    await expect.poll(() => dropped).toEqual([{ reason: 'age', events: 60 }]);
    expect(await left()).toBe(540);
    await clock.pass(MINUTE);
    await expect.poll(left).toBe(480);
  });

  test('dead letters are kept for thirty days by default', async () => {
    const { clock, left } = await withLetters(3);
    clock.freeze(30 * DAY - 3 * MINUTE);
    await clock.pass(2 * MINUTE);
    expect(await left()).toBe(3);
    await clock.pass(2 * MINUTE);
    await expect.poll(left).toBe(0);
  });

  test('dead letters are deleted only where they are dead: waiting deliveries of the same event stay', async () => {
    const { clock, store, left } = await withLetters(1, { age: 10 * MINUTE });
    const waits = { phase: 'retrying', due: clock.now() + DAY, firstAttemptAt: 0, attempts: 1, history: [] } as const;
    await store.update('m0', (event) => ({ ...event, urls: { [A]: dead, [B]: waits } }));
    await clock.pass(11 * MINUTE);
    await expect.poll(left).toBe(0);
    expect((await store.event('m0'))?.urls).toEqual({ [B]: waits });
  });

  test('dead letters are no longer deleted once the destination is closed', async () => {
    const { clock, destination, left } = await withLetters(3, { events: 1 });
    const closed = destination.close({ timeout: 0 });
    await clock.pass(0);
    await closed;
    await clock.pass(10 * MINUTE);
    expect(await left()).toBe(3);
  });
});

test('dead letters are counted once an hour while there are none, and once a minute after one was added', async () => {
  const [clock, store, endpoint] = [new FakeClock(), new MemoryStore(), await startEndpoint(404)];
  const { destination } = await openDestination({ webhooks: [{ url: endpoint.url }], store }, { clock });
  let looks = 0;
  const deadTotals = store.deadTotals.bind(store);
  store.deadTotals = () => {
    looks++;
    return deadTotals();
  };
  const passed = async (minutes: number): Promise<number> => {
    for (let minute = 0; minute < minutes; minute++) await clock.pass(MINUTE);
    return looks;
  };
  expect(await passed(60)).toBe(1);
  expect(await passed(2)).toBe(2);
  const isDead = next(destination, 'dead');
  await destination.deliver(track('m1'));
  await isDead;
  expect(await passed(3)).toBeGreaterThan(4);
});
