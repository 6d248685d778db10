import { afterEach, expect, test, vi } from 'vitest';
import { systemClock } from '../src/clock.js';

afterEach(() => void vi.useRealTimers());

test('setting the machine clock moves the wall time of a clock, and not its steady time', () => {
  const clock = systemClock();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2030, 0, 1) });
  expect(clock.wall()).toBe(Date.UTC(2030, 0, 1));
  expect(clock.now()).toBeLessThan(Date.UTC(2030, 0, 1));
});

test('a clock made after the machine clock was set goes by that, in whole milliseconds', () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2030, 0, 1) });
  const { now } = systemClock();
  expect(now() - Date.UTC(2030, 0, 1)).toBeLessThan(60_000);
  expect(Number.isInteger(now())).toBe(true);
});

test('a timer of a clock calls back once, unless it is cancelled', async () => {
  const { after } = systemClock();
  const cancelled = vi.fn();
  after(0, cancelled)();
  await new Promise<void>((resolve) => {
    after(1, resolve);
    // A timer of a clock does not keep the process alive.
    setTimeout(() => {}, 10);
  });
  expect(cancelled).not.toHaveBeenCalled();
});
