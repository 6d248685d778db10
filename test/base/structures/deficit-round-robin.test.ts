import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DeficitRoundRobin } from '../../../src/base/structures/fair-queue.js';

describe('deficit round robin', () => {
  const drain = <T>(lines: DeficitRoundRobin<T>): T[] => {
    const items: T[] = [];
    for (let item = lines.next(); item !== undefined; item = lines.next()) items.push(item);
    return items;
  };

  test('deficit round robin serves lines by the cost of their entries, not by their number', () => {
    const lines = new DeficitRoundRobin<string>(4);
    for (const item of ['A', 'B', 'C']) lines.add('large', 4, item);
    for (const item of [...'abcdefgh']) lines.add('small', 1, item);
    expect(drain(lines).join('')).toBe('AabcdBefghC');
  });

  test('deficit round robin lets a line save credit for an entry that costs more than a round', () => {
    const lines = new DeficitRoundRobin<string>(2);
    lines.add('large', 5, 'L');
    for (const item of [...'abcdef']) lines.add('small', 1, item);
    expect(drain(lines).join('')).toBe('abcdLef');
  });

  test('deficit round robin removes the credit of an empty line', () => {
    const lines = new DeficitRoundRobin<string>(2);
    lines.add('idle', 1, 'x');
    expect(lines.next()).toBe('x');
    for (const item of [...'abcd']) lines.add('busy', 1, item);
    for (const item of [...'xyz']) lines.add('idle', 1, item);
    expect(drain(lines).join('')).toBe('abxycdz');
  });

  const entries = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.integer({ min: 1, max: 9 })), { maxLength: 60 });

  test('deficit round robin serves every entry once, each line in order', () => {
    fc.assert(
      fc.property(entries, fc.integer({ min: 1, max: 10 }), (given, quantum) => {
        const lines = new DeficitRoundRobin<number>(quantum);
        for (const [number, [name, cost]] of given.entries()) lines.add(name, cost, number);
        const numbers = drain(lines);
        expect(lines.isEmpty).toBe(true);
        for (const name of ['a', 'b', 'c']) {
          const isOfLine = (number: number): boolean => given[number]?.[0] === name;
          expect(numbers.filter(isOfLine)).toEqual([...given.keys()].filter(isOfLine));
          expect(lines.waiting(name)).toBe(0);
        }
      }),
    );
  });

  test('deficit round robin never serves a line more than two rounds and one entry ahead of a waiting one', () => {
    fc.assert(
      fc.property(entries, fc.integer({ min: 1, max: 10 }), (given, quantum) => {
        const lines = new DeficitRoundRobin<(typeof given)[number]>(quantum);
        for (const entry of given) lines.add(entry[0], entry[1], entry);
        const served = new Map(given.map(([name]) => [name, 0]));
        for (let entry = lines.next(); entry !== undefined; entry = lines.next()) {
          const [name, cost] = entry;
          const after = (served.get(name) ?? 0) + cost;
          served.set(name, after);
          const waiting = [...served].filter(([other]) => lines.waiting(other) > 0).map(([, sum]) => sum);
          expect(after - Math.min(after, ...waiting)).toBeLessThanOrEqual(2 * quantum + 9);
        }
      }),
    );
  });
});
