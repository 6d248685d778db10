import { expect, test } from 'vitest';
import { startInterval } from '../../../src/base/time/interval.js';
import { FakeClock, settled } from '../../support/fake-clock.js';

/** An interval of 100 ms whose acts a test ends one by one. */
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

test('an interval acts first after its time, and next so long after the act before has ended', async () => {
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

test('an interval goes on after an act that fails, and reports the error', async () => {
  const { clock, acts, errors } = start();
  clock.advance(100);
  const error = new Error('no');
  acts[0]?.reject(error);
  await settled();
  expect(errors).toEqual([error]);
  clock.advance(100);
  expect(acts).toHaveLength(2);
});

test('an interval that is stopped acts no more, also when it is stopped during an act', async () => {
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
