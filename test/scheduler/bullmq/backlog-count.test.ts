import { expect, test } from 'vitest';
import { BacklogCount } from '../../../src/scheduler/bullmq/backlog-count.js';
import { INTERVALS } from '../../../src/store/redis/intervals.js';
import type { RedisStore } from '../../../src/store/redis/redis-store.js';
import { FakeClock, settled } from '../../support/fake-clock.js';

type Counted = Awaited<ReturnType<RedisStore['counts']['of']>>;

const URL_A = 'https://a.example/';

/** A count of a store that answers when, and what, a test says. */
function open(backlog = 0) {
  const clock = new FakeClock();
  const asked: { resolve(counted: Counted): void; reject(error: unknown): void }[] = [];
  const unclaimed: number[] = [];
  const errors: unknown[] = [];
  const of = () => new Promise<Counted>((resolve, reject) => asked.push({ resolve, reject }));
  const count = new BacklogCount({
    url: URL_A,
    store: { counts: { of } } as unknown as RedisStore,
    intervals: INTERVALS,
    clock,
    backlog,
    onCounted: (number) => unclaimed.push(number),
    onError: (error) => errors.push(error),
  });
  const answer = async (first: number, retry = 0, oldestDue?: number): Promise<void> => {
    asked.at(-1)?.resolve({ url: URL_A, first, retry, unclaimed: first, bytes: 0, oldestDue });
    await settled();
  };
  return { clock, count, asked, unclaimed, errors, answer };
}

test('a backlog on Redis is as long as when the process began, until the store has counted it', async () => {
  const { count, unclaimed, answer } = open(7);
  count.start();
  expect(count.waiting).toBe(7);
  await answer(3, 2, 500);
  expect([count.waiting, count.oldestDue]).toEqual([5, 500]);
  expect(unclaimed).toEqual([3]);
});

test('what comes in while a backlog on Redis is counted is counted as well', async () => {
  const { count, answer } = open();
  count.accept(900);
  count.start();
  count.accept(800);
  expect([count.waiting, count.oldestDue]).toEqual([2, 800]);
  await answer(10);
  expect(count.waiting).toBe(11);
});

test('a backlog on Redis is counted again after each interval, also where the store failed', async () => {
  const { clock, count, asked, errors, answer } = open();
  count.start();
  const error = new Error('gone');
  asked[0]?.reject(error);
  await settled();
  expect(errors).toEqual([error]);
  await clock.pass(INTERVALS.countMs - 1);
  expect(asked).toHaveLength(1);
  await clock.pass(1);
  await answer(4);
  expect(count.waiting).toBe(4);
});

test('the last of a backlog on Redis is gone only when the store says so, which is asked soon and once', async () => {
  const { clock, count, asked, answer } = open();
  count.start();
  await answer(2);
  count.forget();
  expect(count.waiting).toBe(1);
  count.forget();
  count.forget();
  expect([count.waiting, asked.length]).toEqual([1, 1]);
  await clock.pass(100);
  expect(asked).toHaveLength(2);
  await answer(0);
  expect(count.waiting).toBe(0);
});

test('a backlog on Redis whose last one ends while it is counted is counted again soon', async () => {
  const { clock, count, asked, answer } = open();
  count.start();
  count.forget();
  await clock.pass(100);
  expect(asked).toHaveLength(1);
  await answer(1);
  await clock.pass(100);
  expect(asked).toHaveLength(2);
});

test('an empty backlog on Redis is counted again soon to confirm it, and one that is not empty is not', async () => {
  const { clock, count, asked, answer } = open();
  count.start();
  await answer(1);
  count.confirmNone();
  await clock.pass(100);
  expect(asked).toHaveLength(1);
  await clock.pass(INTERVALS.countMs);
  await answer(0);
  count.confirmNone();
  await clock.pass(100);
  expect(asked).toHaveLength(3);
});

test('a backlog on Redis that is stopped is counted no more', async () => {
  const { clock, count, asked, answer } = open();
  count.start();
  count.stop();
  await answer(1);
  count.confirmNone();
  count.forget();
  await clock.pass(10 * INTERVALS.countMs);
  expect(asked).toHaveLength(1);
});
