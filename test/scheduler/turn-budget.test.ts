import { expect, test } from 'vitest';
import { TurnBudget } from '../../src/scheduler/turn-budget.js';

/** A budget whose turns end when `nextTurn` is called, and endpoints that record what they begin. */
function startBudget(mostInTurn: number) {
  const later: (() => void)[] = [];
  const budget = new TurnBudget(mostInTurn, (act) => later.push(act));
  const begun: string[] = [];
  const endpoint = (name: string, waiting: number) => {
    let left = waiting;
    const pump = (): void => {
      while (left > 0 && budget.hasRoom(pump)) {
        budget.begin();
        begun.push(name);
        left--;
      }
    };
    return pump;
  };
  const nextTurn = (): string => {
    begun.length = 0;
    for (const act of later.splice(0)) act();
    return begun.join('');
  };
  return { budget, begun, endpoint, nextTurn, later };
}

test('attempts that fit in a turn begin at once', () => {
  const { begun, endpoint, nextTurn } = startBudget(3);
  endpoint('a', 2)();
  endpoint('b', 1)();
  expect(begun.join('')).toBe('aab');
  expect(nextTurn()).toBe('');
});

test('attempts that do not fit in a turn begin in the next one, in equal shares', () => {
  const { begun, endpoint, nextTurn } = startBudget(4);
  endpoint('a', 9)();
  endpoint('b', 3)();
  expect(begun.join('')).toBe('aaaa');
  expect([nextTurn(), nextTurn(), nextTurn()]).toEqual(['aabb', 'aab', 'a']);
});

test('the remainder of equal shares goes to those who came first', () => {
  const { endpoint, nextTurn } = startBudget(3);
  endpoint('a', 3)();
  endpoint('b', 9)();
  endpoint('c', 9)();
  expect(nextTurn()).toBe('bbc');
});

test('the part of its share that an endpoint does not need goes to those after it', () => {
  const { endpoint, nextTurn } = startBudget(4);
  endpoint('a', 4)();
  endpoint('b', 1)();
  endpoint('c', 8)();
  expect(nextTurn()).toBe('bccc');
});

test('if there are more endpoints than a turn has room for, they take turns', () => {
  const { begun, endpoint, nextTurn } = startBudget(2);
  for (const name of 'abcde') endpoint(name, 2)();
  expect(begun.join('')).toBe('aa');
  expect([nextTurn(), nextTurn(), nextTurn(), nextTurn()]).toEqual(['bc', 'de', 'bc', 'de']);
});

test('endpoints that have nothing more to begin do not delay others', () => {
  const { endpoint, nextTurn, later } = startBudget(1);
  endpoint('a', 1)();
  for (const name of 'bcd') endpoint(name, 1)();
  expect([nextTurn(), nextTurn(), nextTurn()]).toEqual(['b', 'c', 'd']);
  nextTurn();
  expect(later).toEqual([]);
});

test('endpoints that stopped while they waited do not delay others', () => {
  const { budget, endpoint, nextTurn } = startBudget(1);
  endpoint('a', 1)();
  budget.hasRoom(() => {});
  endpoint('b', 1)();
  expect([nextTurn(), nextTurn()]).toEqual(['', 'b']);
});

test('by default 128 attempts begin in a turn of the event loop, and the others in the next', async () => {
  const budget = new TurnBudget();
  let begun = 0;
  const pump = (): void => {
    for (; begun < 200 && budget.hasRoom(pump); begun++) budget.begin();
  };
  pump();
  expect(begun).toBe(128);
  await Promise.resolve();
  expect(begun).toBe(128);
  await new Promise(setImmediate);
  expect(begun).toBe(200);
});
