import { expect, test } from 'vitest';
import { BacklogCount } from '../../src/scheduler/backlog-count.js';

test('the backlog of a shared store has its initial length until the store has counted it', () => {
  const count = new BacklogCount(7);
  expect(count.waiting).toBe(7);
  count.begin();
  count.end(5, 500);
  expect([count.waiting, count.oldestDue]).toEqual([5, 500]);
});

test('deliveries that arrive while the backlog of a shared store is being counted are added to the count', () => {
  const count = new BacklogCount(0);
  count.accept(900);
  count.begin();
  count.accept(800);
  expect([count.waiting, count.oldestDue]).toEqual([2, 800]);
  count.end(10, 700);
  expect([count.waiting, count.oldestDue]).toEqual([11, 700]);
});

test('the last delivery of the backlog of a shared store counts as ended only after the store has confirmed it', () => {
  const count = new BacklogCount(2);
  expect([count.forget(), count.waiting]).toEqual([false, 1]);
  expect([count.forget(), count.forget(), count.waiting]).toEqual([true, true, 1]);
  count.begin();
  count.end(0, undefined);
  expect([count.waiting, count.oldestDue]).toEqual([0, undefined]);
});

test('the earliest due time of a backlog stays when a later delivery is accepted', () => {
  const count = new BacklogCount(0);
  count.accept(800);
  count.accept(900);
  expect(count.oldestDue).toBe(800);
});
