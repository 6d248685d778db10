import { beforeEach, describe, expect, test } from 'vitest';
import { Gate } from '../../src/transport/gate.js';
import { FakeClock } from '../support/fake-clock.js';

let clock: FakeClock;
let gate: Gate;

beforeEach(() => {
  clock = new FakeClock();
  gate = new Gate({ clock, random: () => 0.5 });
});

/** Someone at the gate, and whether they are through. */
function arrive() {
  const someone = { passed: false, error: undefined as unknown };
  const waiting = gate.pass();
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
  expect(gate.pass()).toBeUndefined();
});

test('one failure pauses all who come', async () => {
  expect(gate.failed(0, undefined)).toBe(250);
  const [one, two] = [arrive(), arrive()];
  clock.advance(249);
  await settle();
  expect([one.passed, two.passed]).toEqual([false, false]);
});

test('after the pause one goes first, and the others when it has succeeded', async () => {
  gate.failed(0, undefined);
  const [one, two, three] = [arrive(), arrive(), arrive()];
  clock.advance(250);
  await settle();
  expect([one.passed, two.passed, three.passed]).toEqual([true, false, false]);
  gate.succeeded(gate.failures);
  await settle();
  expect([two.passed, three.passed]).toEqual([true, true]);
  expect(gate.pass()).toBeUndefined();
});

test('who comes after the pause is the one that goes first', () => {
  gate.failed(0, undefined);
  clock.advance(250);
  expect(arrive().passed).toBe(true);
  expect(arrive().passed).toBe(false);
});

test('when the first fails as well, the pause is longer', () => {
  gate.failed(0, undefined);
  clock.advance(250);
  arrive();
  expect(gate.failed(gate.failures, undefined)).toBe(500);
});

test('requests that fail together are one failure', () => {
  expect(gate.failed(0, undefined)).toBe(250);
  expect(gate.failed(0, undefined)).toBe(250);
  expect(gate.failures).toBe(1);
});

test('a success from before the failure does not end the pause', async () => {
  gate.failed(0, undefined);
  gate.succeeded(0);
  expect(arrive().passed).toBe(false);
});

test('an ordered pause is the least, and a longer one of our own stands', () => {
  expect(gate.failed(0, 60_000)).toBe(60_000);
  expect(gate.failed(gate.failures, 1)).toBe(60_000);
});

test('an order from a request that was under way already counts too', () => {
  gate.failed(0, undefined);
  expect(gate.failed(0, 60_000)).toBe(60_000);
});

test('in a hurry our own pause ends, and an ordered one does not', async () => {
  gate.failed(0, undefined);
  const one = arrive();
  gate.hurry();
  await settle();
  expect(one.passed).toBe(true);
  gate.failed(gate.failures, 60_000);
  const two = arrive();
  gate.hurry();
  await settle();
  expect(two.passed).toBe(false);
});

test('in a hurry a pause of our own is cut to what was ordered', async () => {
  for (let failures = 0; failures < 7; failures++) gate.failed(failures, undefined);
  expect(gate.failed(gate.failures, 2_000)).toBe(15_000);
  const one = arrive();
  gate.hurry();
  clock.advance(1_999);
  await settle();
  expect(one.passed).toBe(false);
  clock.advance(1);
  await settle();
  expect(one.passed).toBe(true);
});

test('an order that comes while one goes first outlives its success', async () => {
  gate.failed(0, undefined);
  clock.advance(250);
  expect(arrive().passed).toBe(true);
  const before = gate.failures;
  expect(gate.failed(0, 60_000)).toBe(60_000);
  gate.succeeded(before);
  const two = arrive();
  clock.advance(59_999);
  await settle();
  expect(two.passed).toBe(false);
  clock.advance(1);
  await settle();
  expect(two.passed).toBe(true);
});

test('in a hurry nobody goes past the one that goes first', async () => {
  gate.failed(0, undefined);
  arrive();
  const two = arrive();
  gate.hurry();
  gate.hurry();
  await settle();
  expect(two.passed).toBe(false);
});

describe('a closed gate', () => {
  test('tells who waits, and leaves no timer behind', async () => {
    gate.failed(0, undefined);
    const one = arrive();
    const error = new Error('closed');
    gate.close(error);
    await settle();
    expect(one).toEqual({ passed: false, error });
    expect(clock.due).toEqual([]);
  });

  test('lets nobody through any more, and pauses for nothing', async () => {
    const error = new Error('closed');
    gate.close(error);
    await expect(gate.pass()).rejects.toBe(error);
    gate.failed(gate.failures, 1_000);
    gate.hurry();
    expect(clock.due).toEqual([]);
  });
});
