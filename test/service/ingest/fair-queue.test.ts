import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DeficitRoundRobin } from '../../../src/service/ingest/deficit-round-robin.js';
import { FairQueue } from '../../../src/service/ingest/fair-queue.js';
import { deferred } from '../../collector/support.js';

describe('deficit round robin', () => {
  const drain = <T>(lines: DeficitRoundRobin<T>): T[] => {
    const items: T[] = [];
    for (let item = lines.next(); item !== undefined; item = lines.next()) items.push(item);
    return items;
  };

  test('serves lines by what their entries cost, and not by how many they are', () => {
    const lines = new DeficitRoundRobin<string>(4);
    for (const item of ['A', 'B', 'C']) lines.add('large', 4, item);
    for (const item of [...'abcdefgh']) lines.add('small', 1, item);
    expect(drain(lines).join('')).toBe('AabcdBefghC');
  });

  test('lets a line save up for an entry that costs more than one round brings', () => {
    const lines = new DeficitRoundRobin<string>(2);
    lines.add('large', 5, 'L');
    for (const item of [...'abcdef']) lines.add('small', 1, item);
    expect(drain(lines).join('')).toBe('abcdLef');
  });

  test('lets an empty line save nothing up', () => {
    const lines = new DeficitRoundRobin<string>(2);
    lines.add('idle', 1, 'x');
    expect(lines.next()).toBe('x');
    for (const item of [...'abcd']) lines.add('busy', 1, item);
    for (const item of [...'xyz']) lines.add('idle', 1, item);
    expect(drain(lines).join('')).toBe('abxycdz');
  });

  const entries = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.integer({ min: 1, max: 9 })), { maxLength: 60 });

  test('gives everything out once, each line in its order', () => {
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

  test('serves no line that is more than two rounds and one entry ahead of another that waits', () => {
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

/** A queue whose turns are taken by hand, and jobs that end when they are told to. */
function queueing(options: { mostUnderWay: number; quantum: number }) {
  const turns: (() => void)[] = [];
  const queue = new FairQueue({ ...options, later: (act) => turns.push(act) });
  const begun: string[] = [];
  const ends = new Map<string, ReturnType<typeof deferred>>();
  const run = (name: string, cost = 1, source = name[0] ?? '') =>
    queue.run(source, cost, async () => {
      begun.push(name);
      const end = deferred();
      ends.set(name, end);
      await end.promise;
      return name;
    });
  return {
    queue,
    run,
    begun,
    end: async (name: string): Promise<void> => {
      ends.get(name)?.resolve();
      for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    },
    fail: (name: string, error: Error) => ends.get(name)?.reject(error),
    /** Says how many were waiting for it. */
    turn: (): number => {
      const acts = turns.splice(0);
      for (const act of acts) act();
      return acts.length;
    },
  };
}

describe('the queue into the store', () => {
  test('begins what finds room at once, and the rest in a turn of the event loop of its own', async () => {
    const { run, begun, end, turn, queue } = queueing({ mostUnderWay: 2, quantum: 1 });
    for (const name of ['a1', 'a2', 'a3', 'a4']) void run(name);
    expect(begun).toEqual(['a1', 'a2']);
    expect([queue.underWay, queue.waiting('a')]).toEqual([2, 2]);
    await end('a1');
    expect(begun).toEqual(['a1', 'a2']);
    expect(turn()).toBe(1);
    expect(begun).toEqual(['a1', 'a2', 'a3']);
  });

  test('never has more under way than the bound and one job', async () => {
    const { run, begun, end, turn, queue } = queueing({ mostUnderWay: 10, quantum: 4 });
    for (let number = 0; number < 30; number++) void run(`${'abc'[number % 3]}${number}`, 4);
    let most = 0;
    for (let number = 0; number < begun.length; number++) {
      most = Math.max(most, queue.underWay);
      await end(begun[number] ?? '');
      turn();
    }
    expect([begun.length, most, queue.underWay]).toEqual([30, 12, 0]);
  });

  test('lets another source in before what one has waiting', async () => {
    const { run, begun, end, turn } = queueing({ mostUnderWay: 1, quantum: 1 });
    for (const name of ['a1', 'a2', 'a3']) void run(name);
    void run('b1');
    for (const name of ['a1', 'a2', 'b1']) {
      await end(name);
      turn();
    }
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
  });

  test('gives what each job gave, and lets its failure end nothing else', async () => {
    const { run, end, fail, turn } = queueing({ mostUnderWay: 1, quantum: 1 });
    const [first, second] = [run('a1'), run('a2')];
    fail('a1', new Error('disk'));
    await expect(first).rejects.toThrow('disk');
    turn();
    await end('a2');
    expect(await second).toBe('a2');
  });

  test('refuses what one source has waiting, and nothing of another', async () => {
    const { run, end, turn, queue } = queueing({ mostUnderWay: 1, quantum: 1 });
    const [first, second, other] = [run('a1'), run('a2'), run('b1')];
    queue.refuse('a', new Error('disk'));
    await expect(second).rejects.toThrow('disk');
    expect(queue.waiting('a')).toBe(0);
    await end('a1');
    turn();
    await end('b1');
    expect([await first, await other]).toEqual(['a1', 'b1']);
  });
});
