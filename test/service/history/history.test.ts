import { expect, onTestFinished, test } from 'vitest';
import type { Attempted } from '../../../src/destination/endpoints.js';
import { History } from '../../../src/service/history/history.js';
import { destinationHistory, LastHours, sourceHistory } from '../../../src/service/history/read-history.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { FakeClock } from '../../support/fake-clock.js';

const MINUTE = 60_000;

function open({ keyValues } = memoryStorage(), clock = new FakeClock(), waiting = 0) {
  const levels = new Map([['crm', waiting]]);
  const history = new History({
    keyValues,
    clock,
    waiting: () => levels,
    onError: (error) => expect.fail(String(error)),
  });
  onTestFinished(() => history.close());
  const record = history.recorder('crm');
  const attempted = (status: number, durationMs = 20): void => {
    const result = status < 300 ? 'success' : 'rejected';
    const attempt = { at: clock.now(), durationMs, result, status } as const;
    record({
      id: 'm1',
      key: 'k',
      name: { endpoint: 'k' },
      attempt,
      entry: undefined,
      exchange: undefined,
    } satisfies Attempted);
  };
  return { history, keyValues, clock, levels, attempted };
}

const hour = async ({ keyValues, clock }: ReturnType<typeof open>) =>
  (await destinationHistory(keyValues, { name: 'crm', range: '1h', now: clock.now() })).points;

test('the attempts of a destination are counted by the minute, and the minutes are 60', async () => {
  const opened = open();
  const { history, clock, attempted } = opened;
  attempted(200);
  attempted(404, 1_000);
  await history.flush();
  await clock.pass(MINUTE);
  attempted(200);
  await history.flush();
  const points = await hour(opened);
  expect(points).toHaveLength(60);
  expect(points.at(-1)).toMatchObject({ delivered: 1, retried: 0, dead: 0 });
  expect(points.at(-2)).toMatchObject({ delivered: 1, dead: 1, waiting: 0 });
  expect(points.at(-2)?.p95Ms).toBeGreaterThan(900);
  expect(points.at(-3)).toMatchObject({ delivered: 0, p50Ms: null, waiting: null });
});

test.each([
  ['24h', 96, 15 * MINUTE],
  ['7d', 84, 120 * MINUTE],
] as const)('the range of %s has %d steps, and each counts all that came in it', async (range, count, stepMs) => {
  const { history, keyValues, clock, attempted } = open();
  await clock.pass(stepMs - (clock.now() % stepMs));
  for (let times = 0; times < 3; times++) {
    attempted(200);
    await clock.pass(MINUTE);
  }
  await history.flush();
  const found = await destinationHistory(keyValues, { name: 'crm', range, now: clock.now() });
  expect({ length: found.points.length, stepMs: found.stepMs }).toEqual({ length: count, stepMs });
  expect(found.points.at(-1)?.delivered).toBe(3);
});

test('what several processes counted is added up, and what waits is not', async () => {
  const [storage, clock] = [memoryStorage(), new FakeClock()];
  const [one, other] = [open(storage, clock, 7), open(storage, clock, 7)];
  one.attempted(200);
  other.attempted(200);
  await clock.pass(5_000);
  expect((await hour(one)).at(-1)).toMatchObject({ delivered: 2, waiting: 7 });
});

test('the counts outlive their process', async () => {
  const [storage, clock] = [memoryStorage(), new FakeClock()];
  const before = open(storage, clock);
  before.attempted(200);
  await before.history.close();
  const after = open(storage, clock);
  after.attempted(200);
  await after.history.flush();
  expect((await hour(after)).at(-1)?.delivered).toBe(2);
});

test('a quiet destination writes nothing', async () => {
  const { keyValues, clock } = open();
  await clock.pass(MINUTE);
  expect(await keyValues.list('history/', undefined, 10)).toEqual([]);
});

test('what is older than its range is removed at the sweep, so that the size stays the same', async () => {
  const { history, keyValues, clock, attempted } = open();
  const sizes: number[] = [];
  for (let hours = 0; hours < 3; hours++) {
    for (let minutes = 0; minutes < 60; minutes++) {
      attempted(200);
      await history.flush();
      await clock.pass(MINUTE);
    }
    await history.sweep();
    sizes.push((await keyValues.list('history/destination/m/', undefined, 1_000)).length);
  }
  expect(new Set(sizes).size).toBe(1);
  expect(sizes[0]).toBeLessThanOrEqual(61);
});

test('what a source sent is counted by the minute', async () => {
  const { history, keyValues, clock } = open();
  history.addSource('website', { received: 5, rejected: 1, blocked: 2, forwarded: 3 });
  await history.flush();
  const { points } = await sourceHistory(keyValues, { name: 'website', range: '1h', now: clock.now() });
  expect(points.at(-1)).toMatchObject({ received: 5, rejected: 1, blocked: 2, forwarded: 3 });
});

test('the last hour of a destination has its rate, its quantiles and 60 points, and is read anew after five seconds', async () => {
  const { history, keyValues, clock, attempted } = open();
  const hours = new LastHours(keyValues, () => clock.now());
  expect(await hours.of('crm')).toMatchObject({ attempts: 0, successRate: null, p50Ms: null });
  for (let count = 0; count < 3; count++) attempted(200);
  attempted(404);
  await history.flush();
  expect((await hours.of('crm')).attempts).toBe(0);
  await clock.pass(5_000);
  const { points, ...last } = await hours.of('crm');
  expect(last).toEqual({ attempts: 4, successRate: 0.75, p50Ms: expect.any(Number), p95Ms: expect.any(Number) });
  expect({ length: points.length, last: points.at(-1) }).toEqual({ length: 60, last: { delivered: 3, failed: 1 } });
  await clock.pass(61 * MINUTE);
  expect((await hours.of('crm')).attempts).toBe(0);
});
