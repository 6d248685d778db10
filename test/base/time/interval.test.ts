import { expect, test } from 'vitest';
import { startInterval } from '../../../src/base/time/interval.js';
import { FakeClock, settled } from '../../support/fake-clock.js';

/** Starts an interval of 100 ms whose runs the test ends one by one. */
function start() {
  const clock = new FakeClock();
  const acts: { resolve(): void; reject(error: unknown): void }[] = [];
  const errors: unknown[] = [];
  const stop = startInterval({
    clock,
    everyMs: 100,
    act: () => new Promise((resolve, reject) => acts.push({ resolve, reject })),
    onError: (error) => errors.push(error),
  });
  return { clock, acts, errors, stop };
}

test('an interval first runs after its time, and then that long after each run has ended', async () => {
  const { clock, acts } = start();
  clock.advance(99);
  expect(acts).toHaveLength(0);
  clock.advance(1);
  expect(acts).toHaveLength(1);
  clock.advance(1_000);
  expect(acts).toHaveLength(1);
  acts[0]?.resolve();
  await settled();
  clock.advance(99);
  expect(acts).toHaveLength(1);
  clock.advance(1);
  expect(acts).toHaveLength(2);
});

test('an interval continues after a failed run and reports the error', async () => {
  const { clock, acts, errors } = start();
  clock.advance(100);
  const error = new Error('no');
  acts[0]?.reject(error);
  await settled();
  expect(errors).toEqual([error]);
  clock.advance(100);
  expect(acts).toHaveLength(2);
});

test('a stopped interval does not run again, even if it is stopped during a run', async () => {
  const waiting = start();
  waiting.stop();
  expect(waiting.clock.due).toEqual([]);
  const acting = start();
  acting.clock.advance(100);
  acting.stop();
  acting.acts[0]?.resolve();
  await settled();
  expect(acting.clock.due).toEqual([]);
});
