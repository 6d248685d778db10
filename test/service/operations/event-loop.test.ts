import { expect, onTestFinished, test } from 'vitest';
import { EventLoop } from '../../../src/service/operations/event-loop.js';

function open() {
  const time = { now: 0 };
  const eventLoop = new EventLoop(() => time.now);
  onTestFinished(() => eventLoop.stop());
  return { time, eventLoop };
}

/** Blocks the event loop for `ms` milliseconds. */
const stall = (ms: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
};

test('an event loop that was not yet measured has no delays', () => {
  const { eventLoop } = open();
  expect(eventLoop.delays()).toEqual({ p50: 0, p99: 0, max: 0 });
});

test('a stall appears as the longest delay', async () => {
  const { eventLoop } = open();
  await expect
    .poll(() => {
      stall(150);
      return eventLoop.delays().max;
    })
    .toBeGreaterThan(100);
});

test('a stall is dropped after two minutes, but not after one', async () => {
  const { eventLoop, time } = open();
  await expect
    .poll(() => {
      stall(1_500);
      return eventLoop.delays().max;
    })
    .toBeGreaterThan(1_000);
  time.now = 60_000;
  expect(eventLoop.delays().max).toBeGreaterThan(1_000);
  time.now = 119_999;
  expect(eventLoop.delays().max).toBeGreaterThan(1_000);
  time.now = 120_000;
  expect(eventLoop.delays()).toEqual({ p50: 0, p99: 0, max: 0 });
});
