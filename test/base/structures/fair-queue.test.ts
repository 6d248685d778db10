import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FairQueue } from '../../../src/base/structures/fair-queue.js';
import { deferred } from '../../collector/support.js';

/** A queue whose turns the test triggers, and jobs that the test ends. */
function queueing(options: { maxRunning: number; quantum: number }) {
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
    /** Runs the callbacks for the next turn, and returns their number. */
    turn: (): number => {
      const acts = turns.splice(0);
      for (const act of acts) act();
      return acts.length;
    },
  };
}

describe('fair queue', () => {
  test('a fair queue starts operations at once while there is room, and others in a later turn of the event loop', async () => {
    const { run, begun, end, turn, queue } = queueing({ maxRunning: 2, quantum: 1 });
    for (const name of ['a1', 'a2', 'a3', 'a4']) void run(name);
    expect(begun).toEqual(['a1', 'a2']);
    expect([queue.running, queue.waiting('a')]).toEqual([2, 2]);
    await end('a1');
    expect(begun).toEqual(['a1', 'a2']);
    expect(turn()).toBe(1);
    expect(begun).toEqual(['a1', 'a2', 'a3']);
  });

  test('a fair queue exceeds its limit by at most one job', async () => {
    const { run, begun, end, turn, queue } = queueing({ maxRunning: 10, quantum: 4 });
    for (let number = 0; number < 30; number++) void run(`${'abc'[number % 3]}${number}`, 4);
    let most = 0;
    for (let number = 0; number < begun.length; number++) {
      most = Math.max(most, queue.running);
      await end(begun[number] ?? '');
      turn();
    }
    expect([begun.length, most, queue.running]).toEqual([30, 12, 0]);
  });

  test('a fair queue serves another source before the remaining jobs of the current one', async () => {
    const { run, begun, end, turn } = queueing({ maxRunning: 1, quantum: 1 });
    for (const name of ['a1', 'a2', 'a3']) void run(name);
    void run('b1');
    for (const name of ['a1', 'a2', 'b1']) {
      await end(name);
      turn();
    }
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
  });

  test('a fair queue returns the result of each job, and a failed job does not affect others', async () => {
    const { run, end, fail, turn } = queueing({ maxRunning: 1, quantum: 1 });
    const [first, second] = [run('a1'), run('a2')];
    fail('a1', new Error('disk'));
    await expect(first).rejects.toThrow('disk');
    turn();
    await end('a2');
    expect(await second).toBe('a2');
  });

  test('a fair queue refuses only the waiting jobs of one source', async () => {
    const { run, end, turn, queue } = queueing({ maxRunning: 1, quantum: 1 });
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

describe('the turns of a fair queue', () => {
  type Entry = readonly [source: string, cost: number];

  /** Queues the entries while another operation runs, and begins them one by one. Returns their indexes in that order. */
  async function serve(
    quantum: number,
    entries: readonly Entry[],
    onBegin: (index: number, queue: FairQueue) => void = () => {},
  ): Promise<number[]> {
    const queue = new FairQueue({ maxRunning: 1, quantum, later: (act) => act() });
    const order: number[] = [];
    const hold = deferred();
    const held = queue.run('other', 1, () => hold.promise);
    const jobs = entries.map(([source, cost], index) =>
      queue.run(source, cost, async () => {
        order.push(index);
        onBegin(index, queue);
      }),
    );
    hold.resolve();
    await Promise.all([held, ...jobs]);
    return order;
  }

  const entriesOf = (source: string, cost: number, count: number): Entry[] =>
    Array.from({ length: count }, () => [source, cost]);

  test('sources take turns by the cost of their operations, not by their number', async () => {
    const order = await serve(4, [...entriesOf('large', 4, 3), ...entriesOf('small', 1, 8)]);
    expect(order.map((index) => 'ABCabcdefgh'[index]).join('')).toBe('AabcdBefghC');
  });

  test('a source saves credit for an operation that costs more than a round', async () => {
    const order = await serve(2, [...entriesOf('large', 5, 1), ...entriesOf('small', 1, 6)]);
    expect(order.map((index) => 'Labcdef'[index]).join('')).toBe('abcdLef');
  });

  test('a source without a waiting operation loses its credit', async () => {
    const later: string[] = [];
    const jobs: Promise<void>[] = [];
    await serve(2, [['idle', 1]], (_, queue) => {
      const add = (source: string, name: string): void =>
        void jobs.push(queue.run(source, 1, async () => void later.push(name)));
      for (const name of 'abcd') add('busy', name);
      for (const name of 'xyz') add('idle', name);
    });
    await Promise.all(jobs);
    expect(later.join('')).toBe('abxycdz');
  });

  const entries = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.integer({ min: 1, max: 9 })), { maxLength: 60 });

  test('every operation begins once, and the operations of a source begin in order', async () => {
    await fc.assert(
      fc.asyncProperty(entries, fc.integer({ min: 1, max: 10 }), async (given, quantum) => {
        const order = await serve(quantum, given);
        for (const source of ['a', 'b', 'c']) {
          const isOfSource = (index: number): boolean => given[index]?.[0] === source;
          expect(order.filter(isOfSource)).toEqual([...given.keys()].filter(isOfSource));
        }
      }),
    );
  });

  test('a source is never more than two rounds and one operation ahead of another source that waits', async () => {
    await fc.assert(
      fc.asyncProperty(entries, fc.integer({ min: 1, max: 10 }), async (given, quantum) => {
        const served = new Map<string, number>(given.map(([source]) => [source, 0]));
        await serve(quantum, given, (index, queue) => {
          const [source, cost] = given[index] ?? ['', 0];
          const after = (served.get(source) ?? 0) + cost;
          served.set(source, after);
          const waiting = [...served].filter(([other]) => queue.waiting(other) > 0).map(([, sum]) => sum);
          expect(after - Math.min(after, ...waiting)).toBeLessThanOrEqual(2 * quantum + 9);
        });
      }),
    );
  });
});
