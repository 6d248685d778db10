import { expect, test } from 'vitest';
import { LastHours } from '../../../src/ledger/counts/last-hours.js';
import { destinationHistory, sourceHistory } from '../../../src/service/api/history-reports.js';
import { hour, MINUTE, openCounts } from './support.js';

test('the attempts of a destination are counted in 60 points of one minute', async () => {
  const opened = openCounts();
  const { ledger, clock, attempted } = opened;
  attempted(200);
  attempted(404, 1_000);
  await ledger.flush();
  await clock.pass(MINUTE);
  attempted(200);
  await ledger.flush();
  const points = await hour(opened);
  expect(points).toHaveLength(60);
  expect(points.at(-1)).toMatchObject({ at: '2026-11-20T12:01:00.000Z', delivered: 1, retried: 0, dead: 0 });
  expect(points.at(-2)).toMatchObject({ delivered: 1, dead: 1, waiting: 0 });
  expect(points.at(-2)?.p95Ms).toBeGreaterThan(900);
  expect(points.at(-3)).toMatchObject({ delivered: 0, p50Ms: null, waiting: null });
});

test.each([
  ['24h', 96, 15 * MINUTE],
  ['7d', 84, 120 * MINUTE],
] as const)('the range of %s has %d steps, and each counts everything within it', async (range, count, stepMs) => {
  const { ledger, keyValues, clock, attempted } = openCounts();
  await clock.pass(stepMs - (clock.now() % stepMs));
  for (let times = 0; times < 3; times++) {
    attempted(200);
    await clock.pass(MINUTE);
  }
  await ledger.flush();
  const found = await destinationHistory(keyValues, { name: 'crm', range, now: clock.now() });
  expect({ length: found.points.length, stepMs: found.stepMs }).toEqual({ length: count, stepMs });
  expect(found.points.at(-1)?.delivered).toBe(3);
});

test('the messages of a source are counted by the minute', async () => {
  const { ledger, keyValues, clock } = openCounts();
  for (let count = 0; count < 5; count++) ledger.counts.received('website', 'track', 'E', count < 2);
  ledger.counts.add('website', 'rejected', 1);
  ledger.counts.add('website', 'forwarded', 3);
  await ledger.flush();
  const { points } = await sourceHistory(keyValues, { name: 'website', range: '1h', now: clock.now() });
  expect(points.at(-1)).toMatchObject({ received: 5, rejected: 1, blocked: 2, forwarded: 3 });
});

test('the end of the backlog is estimated from the last five minutes, unless it does not shrink or nothing is delivered', async () => {
  const { ledger, keyValues, clock, levels, attempted } = openCounts();
  await clock.pass(MINUTE - (clock.now() % MINUTE));
  const hours = new LastHours(keyValues, () => clock.now());
  const waitingFor = async (minutes: readonly number[]) => {
    for (const waiting of minutes) {
      levels.set('crm', waiting);
      await clock.pass(MINUTE - 1);
      await ledger.flush();
      await clock.pass(1);
    }
    return levels.get('crm') ?? 0;
  };
  const leftAt = async (waiting: number) => {
    const at = await hours.doneAt('crm', waiting);
    return at === undefined ? undefined : Math.round((at - clock.now()) / MINUTE);
  };
  expect(await leftAt(0)).toBeUndefined();
  expect(await leftAt(await waitingFor([900, 900, 950]))).toBeUndefined();
  // Without deliveries, the backlog shrinks only by dead letters and discards.
  expect(await leftAt(await waitingFor([900, 800, 750, 700, 600]))).toBeUndefined();
  attempted(200);
  // It shrank from 900 to 600 in four minutes, which is 75 a minute.
  expect(await leftAt(await waitingFor([900, 800, 750, 700, 600]))).toBe(8);
  expect(await leftAt(700)).toBe(14);
  expect(await leftAt(900)).toBeUndefined();
  expect(await hours.doneAt('billing', 5)).toBeUndefined();
});

test('the last hour of a destination has its rate, quantiles and 60 points, and is read again after five seconds', async () => {
  const { ledger, keyValues, clock, attempted } = openCounts();
  const hours = new LastHours(keyValues, () => clock.now());
  expect(await hours.of('crm')).toMatchObject({ attempts: 0, successRate: null, p50Ms: null });
  for (let count = 0; count < 3; count++) attempted(200);
  attempted(404);
  await ledger.flush();
  expect((await hours.of('crm')).attempts).toBe(0);
  await clock.pass(5_000);
  const { points, ...last } = await hours.of('crm');
  expect(last).toEqual({ attempts: 4, successRate: 0.75, p50Ms: expect.any(Number), p95Ms: expect.any(Number) });
  expect({ length: points.length, last: points.at(-1) }).toEqual({ length: 60, last: { delivered: 3, failed: 1 } });
  await clock.pass(61 * MINUTE);
  expect((await hours.of('crm')).attempts).toBe(0);
});

test('the last hours of all destinations and sources are read together, and past minutes only once', async () => {
  const { ledger, keyValues, clock, attempted } = openCounts();
  attempted(200);
  await ledger.flush();
  await clock.pass(3 * MINUTE);
  let lists = 0;
  const list = keyValues.list.bind(keyValues);
  keyValues.list = (...args) => {
    lists++;
    return list(...args);
  };
  const hours = new LastHours(keyValues, () => clock.now());
  const names = ['crm', ...Array.from({ length: 300 }, (_, index) => `d${index}`)];
  const all = await Promise.all(names.map((name) => hours.of(name)));
  expect([all[0]?.attempts, all[1]?.attempts]).toEqual([1, 0]);
  expect(lists).toBe(120);
  lists = 0;
  await clock.pass(5_000);
  expect((await hours.of('crm')).attempts).toBe(1);
  expect(lists).toBeLessThanOrEqual(8);
});

test.each([
  { gap: 3, everySeconds: 5 },
  { gap: 3, everySeconds: 60 },
  { gap: 3, everySeconds: 300 },
  { gap: 50, everySeconds: 5 },
  { gap: 50, everySeconds: 60 },
])(
  'minutes that could not be written for $gap minutes are right five minutes later if read every $everySeconds s',
  async ({ gap, everySeconds }) => {
    const { ledger, keyValues, clock, attempted } = openCounts({ onError: () => {} });
    const hours = new LastHours(keyValues, () => clock.now());
    const write = keyValues.write.bind(keyValues);
    keyValues.write = async () => Promise.reject(new Error('no room'));
    for (let minute = 0; minute < gap; minute++) {
      attempted(200);
      await ledger.flush();
      for (let seconds = 0; seconds < 60; seconds += Math.min(everySeconds, 60)) {
        await clock.pass(Math.min(everySeconds, 60) * 1_000);
        expect((await hours.of('crm')).attempts).toBe(0);
      }
    }
    keyValues.write = write;
    await ledger.flush();
    for (let seconds = 0; seconds < 300; seconds += everySeconds) {
      await clock.pass(everySeconds * 1_000);
      await hours.of('crm');
    }
    expect((await hours.of('crm')).attempts).toBe(gap);
  },
);

test('a read of the last hour that failed is repeated at once for the next caller', async () => {
  const { ledger, keyValues, clock, attempted } = openCounts();
  attempted(200);
  await ledger.flush();
  const list = keyValues.list.bind(keyValues);
  keyValues.list = async () => Promise.reject(new Error('connection lost'));
  const hours = new LastHours(keyValues, () => clock.now());
  await expect(hours.of('crm')).rejects.toThrow('connection lost');
  keyValues.list = list;
  expect((await hours.of('crm')).attempts).toBe(1);
});

test('a destination whose name contains separators of keys has its own history', async () => {
  const { ledger, keyValues, clock, attempted } = openCounts();
  attempted(200, 5, 'a/b %');
  await ledger.flush();
  const hours = new LastHours(keyValues, () => clock.now());
  expect([(await hours.of('a/b %')).attempts, (await hours.of('a')).attempts]).toEqual([1, 0]);
});

test('counts that another process writes after a minute has ended are still included', async () => {
  const { ledger, keyValues, clock, attempted } = openCounts();
  const hours = new LastHours(keyValues, () => clock.now());
  clock.freeze(MINUTE - 500);
  attempted(200);
  await ledger.flush();
  clock.freeze(1_000);
  expect((await hours.of('crm')).attempts).toBe(1);
  const [late] = await keyValues.list('counts/destination/m/', undefined, 1);
  await keyValues.write([{ key: `${late?.key}-other`, value: late?.value }]);
  clock.freeze(5_000);
  expect((await hours.of('crm')).attempts).toBe(2);
});

test('the end of the backlog is not estimated from the current minute alone', async () => {
  const { ledger, keyValues, clock, levels, attempted } = openCounts();
  const hours = new LastHours(keyValues, () => clock.now());
  levels.set('crm', 900);
  attempted(200);
  await ledger.flush();
  expect(await hours.doneAt('crm', 800)).toBeUndefined();
});
