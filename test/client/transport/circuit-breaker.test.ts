import { beforeEach, expect, test } from 'vitest';
import { CircuitBreaker } from '../../../src/client/transport/circuit-breaker.js';
import { FakeClock } from '../../support/fake-clock.js';

let clock: FakeClock;
let breaker: CircuitBreaker;

beforeEach(() => {
  clock = new FakeClock();
  breaker = new CircuitBreaker({ clock, random: () => 0.5 });
});

/** A caller at the breaker, and whether it has passed. */
function arrive() {
  const someone = { passed: false, error: undefined as unknown };
  const waiting = breaker.pass();
  if (waiting === undefined) someone.passed = true;
  else
    waiting.then(
      () => (someone.passed = true),
      (error: unknown) => (someone.error = error),
    );
  return someone;
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

test('all callers pass at once while nothing fails', () => {
  expect(breaker.pass()).toBeUndefined();
});

test('one failure pauses all later callers', async () => {
  expect(breaker.failed(0, undefined)).toBe(250);
  const [one, two] = [arrive(), arrive()];
  clock.advance(249);
  await settle();
  expect([one.passed, two.passed]).toEqual([false, false]);
});

test('after the pause one caller passes, and the others pass when it has succeeded', async () => {
  breaker.failed(0, undefined);
  const [one, two, three] = [arrive(), arrive(), arrive()];
  clock.advance(250);
  await settle();
  expect([one.passed, two.passed, three.passed]).toEqual([true, false, false]);
  breaker.succeeded(breaker.failures);
  await settle();
  expect([two.passed, three.passed]).toEqual([true, true]);
  expect(breaker.pass()).toBeUndefined();
});

test('a caller that comes after the pause passes as the probe', () => {
  breaker.failed(0, undefined);
  clock.advance(250);
  expect(arrive().passed).toBe(true);
  expect(arrive().passed).toBe(false);
});

test('if the probe fails too, the next pause is longer', () => {
  breaker.failed(0, undefined);
  clock.advance(250);
  arrive();
  expect(breaker.failed(breaker.failures, undefined)).toBe(500);
});

test('concurrent requests that fail count as one failure', () => {
  expect(breaker.failed(0, undefined)).toBe(250);
  expect(breaker.failed(0, undefined)).toBe(250);
  expect(breaker.failures).toBe(1);
});

test('a success from before the failure does not end the pause', async () => {
  breaker.failed(0, undefined);
  breaker.succeeded(0);
  expect(arrive().passed).toBe(false);
});

test('a pause that the collector asks for is a minimum, and a longer pause of our own is kept', () => {
  expect(breaker.failed(0, 60_000)).toBe(60_000);
  expect(breaker.failed(breaker.failures, 1)).toBe(60_000);
});

test('a pause counts even if it is asked for in response to a request that was already running', () => {
  breaker.failed(0, undefined);
  expect(breaker.failed(0, 60_000)).toBe(60_000);
});

test('hurrying ends our own pause, but not one that the collector asked for', async () => {
  breaker.failed(0, undefined);
  const one = arrive();
  breaker.hurry();
  await settle();
  expect(one.passed).toBe(true);
  breaker.failed(breaker.failures, 60_000);
  const two = arrive();
  breaker.hurry();
  await settle();
  expect(two.passed).toBe(false);
});

test('hurrying shortens our own pause to the one that the collector asked for', async () => {
  for (let failures = 0; failures < 7; failures++) breaker.failed(failures, undefined);
  expect(breaker.failed(breaker.failures, 2_000)).toBe(15_000);
  const one = arrive();
  breaker.hurry();
  clock.advance(1_999);
  await settle();
  expect(one.passed).toBe(false);
  clock.advance(1);
  await settle();
  expect(one.passed).toBe(true);
});

test('a pause that the collector asks for during the probe is kept after the probe succeeds', async () => {
  breaker.failed(0, undefined);
  clock.advance(250);
  expect(arrive().passed).toBe(true);
  const before = breaker.failures;
  expect(breaker.failed(0, 60_000)).toBe(60_000);
  breaker.succeeded(before);
  const two = arrive();
  clock.advance(59_999);
  await settle();
  expect(two.passed).toBe(false);
  clock.advance(1);
  await settle();
  expect(two.passed).toBe(true);
});

test('hurrying lets no caller pass before the probe has ended', async () => {
  breaker.failed(0, undefined);
  arrive();
  const two = arrive();
  breaker.hurry();
  breaker.hurry();
  await settle();
  expect(two.passed).toBe(false);
});

test('closing a circuit breaker rejects the waiting callers and leaves no timer', async () => {
  breaker.failed(0, undefined);
  const one = arrive();
  const error = new Error('closed');
  breaker.close(error);
  await settle();
  expect(one).toEqual({ passed: false, error });
  expect(clock.due).toEqual([]);
});

test('a closed circuit breaker lets no caller pass and begins no pause', async () => {
  const error = new Error('closed');
  breaker.close(error);
  await expect(breaker.pass()).rejects.toBe(error);
  breaker.failed(breaker.failures, 1_000);
  breaker.hurry();
  expect(clock.due).toEqual([]);
});
