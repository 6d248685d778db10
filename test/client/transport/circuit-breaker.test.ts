import { beforeEach, expect, test } from 'vitest';
import { CircuitBreaker } from '../../../src/client/transport/circuit-breaker.js';
import { FakeClock } from '../../support/fake-clock.js';

let clock: FakeClock;
let breaker: CircuitBreaker;

beforeEach(() => {
  clock = new FakeClock();
  breaker = new CircuitBreaker({ clock, random: () => 0.5 });
});

/** Someone at the breaker, and whether they are through. */
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

test('everyone passes at once while nothing fails', () => {
  expect(breaker.pass()).toBeUndefined();
});

test('one failure pauses all who come', async () => {
  expect(breaker.failed(0, undefined)).toBe(250);
  const [one, two] = [arrive(), arrive()];
  clock.advance(249);
  await settle();
  expect([one.passed, two.passed]).toEqual([false, false]);
});

test('after the pause one goes first, and the others when it has succeeded', async () => {
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

test('a caller that comes after the pause of a breaker goes first', () => {
  breaker.failed(0, undefined);
  clock.advance(250);
  expect(arrive().passed).toBe(true);
  expect(arrive().passed).toBe(false);
});

test('when the first fails as well, the pause is longer', () => {
  breaker.failed(0, undefined);
  clock.advance(250);
  arrive();
  expect(breaker.failed(breaker.failures, undefined)).toBe(500);
});

test('requests that fail together are one failure', () => {
  expect(breaker.failed(0, undefined)).toBe(250);
  expect(breaker.failed(0, undefined)).toBe(250);
  expect(breaker.failures).toBe(1);
});

test('a success from before the failure does not end the pause', async () => {
  breaker.failed(0, undefined);
  breaker.succeeded(0);
  expect(arrive().passed).toBe(false);
});

test('an ordered pause is the least, and a longer one of our own stands', () => {
  expect(breaker.failed(0, 60_000)).toBe(60_000);
  expect(breaker.failed(breaker.failures, 1)).toBe(60_000);
});

test('an order from a request that was under way already counts too', () => {
  breaker.failed(0, undefined);
  expect(breaker.failed(0, 60_000)).toBe(60_000);
});

test('in a hurry our own pause ends, and an ordered one does not', async () => {
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

test('in a hurry a pause of our own is cut to what was ordered', async () => {
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

test('an order that comes while one goes first outlives its success', async () => {
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

test('in a hurry nobody goes past the one that goes first', async () => {
  breaker.failed(0, undefined);
  arrive();
  const two = arrive();
  breaker.hurry();
  breaker.hurry();
  await settle();
  expect(two.passed).toBe(false);
});

test('a circuit breaker that is closed for good tells the callers that wait, and leaves no timer behind', async () => {
  breaker.failed(0, undefined);
  const one = arrive();
  const error = new Error('closed');
  breaker.close(error);
  await settle();
  expect(one).toEqual({ passed: false, error });
  expect(clock.due).toEqual([]);
});

test('a circuit breaker that is closed for good lets no caller through, and begins no pause', async () => {
  const error = new Error('closed');
  breaker.close(error);
  await expect(breaker.pass()).rejects.toBe(error);
  breaker.failed(breaker.failures, 1_000);
  breaker.hurry();
  expect(clock.due).toEqual([]);
});
