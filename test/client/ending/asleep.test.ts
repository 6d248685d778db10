import { expect, test } from 'vitest';
import { awakeClock, type Clock } from '../../../src/base/time/clock.js';
import { Analytics } from '../../../src/client/analytics.js';

import { nodePlatform } from '../../../src/client/platform.js';
import { next, track } from '../../support/client.js';
import { FakeClock } from '../../support/fake-clock.js';
import { ok, sink } from '../../support/sink.js';

const HOUR = 3_600_000;

/** An object of functions, like the system's clock. */
const methodsOf = (clock: FakeClock): Clock => ({
  wall: () => clock.wall(),
  now: () => clock.now(),
  after: (ms, act) => clock.after(ms, act),
  hold: () => clock.hold(),
});

function clocks() {
  const real = new FakeClock();
  const start = real.now();
  const clock = awakeClock(methodsOf(real));
  return { real, clock, awakeMs: () => clock.now() - start };
}

test('an awake clock normally runs like the real one, and its timers are on time', () => {
  const { real, clock, awakeMs } = clocks();
  const acts: number[] = [];
  clock.after(5_000, () => acts.push(awakeMs()));
  clock.after(700, () => acts.push(awakeMs()));
  clock.after(100, () => acts.push(awakeMs()))();
  real.advance(6_000);
  expect(acts).toEqual([700, 5_000]);
  expect(clock.wall()).toBe(real.wall());
  clock.hold()();
  expect(real.holds).toBe(0);
});

test('an awake clock stands still while the process is frozen, and a timer that became due meanwhile fires once', () => {
  const { real, clock, awakeMs } = clocks();
  let fired = 0;
  clock.after(5_000, () => fired++);
  clock.after(30_000, () => fired++);
  real.advance(1_000);
  real.freeze(HOUR);
  real.advance(20);
  expect(fired).toBe(2);
  expect(awakeMs()).toBe(5_020);
  real.advance(HOUR);
  expect(fired).toBe(2);
  expect(awakeMs()).toBe(5_020 + HOUR);
});

test('an awake clock detects a freeze before the timer that was due in it fires, and when that timer is cancelled', () => {
  const { real, clock, awakeMs } = clocks();
  const seen: number[] = [];
  // This timer fires first, as the earlier of the two late ones.
  real.after(10, () => seen.push(awakeMs()));
  const cancel = clock.after(50, () => seen.push(-1));
  real.freeze(HOUR);
  cancel();
  real.advance(100);
  expect(seen).toEqual([50]);
  expect(awakeMs()).toBe(150);
});

test('data that arrived while the process was frozen is read before the timer that it would have cancelled fires', () => {
  const { real, clock } = clocks();
  let isTimedOut = false;
  const cancel = clock.after(10_000, () => {
    isTimedOut = true;
  });
  real.freeze(HOUR);
  expect(isTimedOut).toBe(false);
  cancel();
  real.advance(HOUR);
  expect(isTimedOut).toBe(false);
});

test('a client that is frozen for longer than retryFor continues its retries where it was', async () => {
  const collector = await sink(503, 503, ok);
  const real = new FakeClock();
  const platform = { ...nodePlatform, clock: awakeClock(methodsOf(real)), random: () => 0.5 };
  const analytics = new Analytics({ writeKey: 'key', endpoint: collector.url, retryFor: HOUR }, platform);
  analytics.on('retry', () => {});
  const failed = next(analytics, 'retry');
  const { delivered } = analytics.track(track());
  void analytics.flush();
  await failed;
  const failedAgain = Promise.race([next(analytics, 'retry'), delivered]);
  real.freeze(5 * HOUR);
  real.advance(20);
  await failedAgain;
  real.advance(2_000);
  await delivered;
  expect(analytics.stats()).toMatchObject({ delivered: 1, lost: 0, requests: 3 });
  await analytics.close();
});
