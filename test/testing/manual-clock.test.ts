import { expect, test } from 'vitest';
import { ManualClock } from '../../src/testing/manual-clock.js';

test('timers run in order, each at its time', async () => {
  const clock = new ManualClock(0);
  const seen: [string, number][] = [];
  clock.after(20, () => seen.push(['late', clock.now()]));
  clock.after(10, () => {
    seen.push(['early', clock.now()]);
    clock.after(5, () => seen.push(['between', clock.now()]));
  });
  clock.after(31, () => seen.push(['never', clock.now()]));
  clock.after(10, () => seen.push(['cancelled', clock.now()]))();
  await clock.pass(30);
  expect(seen).toEqual([
    ['early', 10],
    ['between', 15],
    ['late', 20],
  ]);
  expect(clock.now()).toBe(30);
  expect(clock.due).toEqual([1]);
});

test('`pass` lets the promises of a timer settle before the next timer', async () => {
  const clock = new ManualClock(0);
  const seen: number[] = [];
  clock.after(10, () => void Promise.resolve().then(() => clock.after(5, () => seen.push(clock.now()))));
  await clock.pass(20);
  expect(seen).toEqual([15]);
});
