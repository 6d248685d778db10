import { afterEach, expect, test, vi } from 'vitest';
import { systemClock, within } from '../../../src/base/time/clock.js';
import { FakeClock, settled } from '../../support/fake-clock.js';

afterEach(() => void vi.useRealTimers());

test("changing the machine's clock changes the wall time of a clock, but not its steady time", () => {
  const clock = systemClock();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2030, 0, 1) });
  expect(clock.wall()).toBe(Date.UTC(2030, 0, 1));
  expect(clock.now()).toBeLessThan(Date.UTC(2030, 0, 1));
});

test("a clock that is created after the machine's clock was changed starts from it, in whole milliseconds", () => {
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

test('within resolves with true if the work ends in time and with false otherwise, and leaves no timer', async () => {
  const clock = new FakeClock();
  expect(await within(clock, 1_000, Promise.resolve())).toBe(true);
  await settled();
  expect(clock.due).toEqual([]);
  const late = within(clock, 1_000, new Promise(() => {}));
  clock.advance(1_000);
  expect(await late).toBe(false);
});

test('within rejects if the work rejects in time, and leaves no timer', async () => {
  const clock = new FakeClock();
  await expect(within(clock, 1_000, Promise.reject(new Error('gone')))).rejects.toThrow('gone');
  await settled();
  expect(clock.due).toEqual([]);
});
