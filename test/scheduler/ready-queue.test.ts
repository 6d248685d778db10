import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ReadAheadBuffer, ReadyQueue } from '../../src/scheduler/ready-queue.js';
import type { QueueKey } from '../../src/store/event-store.js';
import { MemoryStore } from '../../src/store/memory/memory-store.js';
import { compareQueueKeys } from '../../src/store/queue-key.js';
import { SortedList } from '../../src/store/sorted-list.js';

/** A store reduced to its order. It answers when the test tells it to. */
class Shelf {
  readonly places = new SortedList<QueueKey>(compareQueueKeys);
  #answers: (() => void)[] = [];

  load = (after: QueueKey | undefined, limit: number): Promise<QueueKey[]> => {
    const places = [...this.places.after(after)].slice(0, limit);
    return new Promise((resolve) => this.#answers.push(() => resolve(places)));
  };

  async answer(): Promise<void> {
    for (const answer of this.#answers.splice(0)) answer();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test('a read-ahead buffer returns every stored item once and in order, however loads and offers overlap', async () => {
  const step = fc.oneof(
    { weight: 5, arbitrary: fc.record({ do: fc.constant('offer'), at: fc.nat(50) }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('take', 'refill', 'answer'), at: fc.constant(0) }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.nat(40), fc.array(step, { maxLength: 120 }), async (already, steps) => {
      const shelf = new Shelf();
      let number = 0;
      const stored = (at: number): QueueKey => {
        const place = { at, id: `p${String(number++).padStart(4, '0')}` };
        shelf.places.add(place);
        return place;
      };
      for (let index = 0; index < already; index++) stored(index);
      const window = new ReadAheadBuffer(8, shelf.load);
      const refill = (): void => void (window.isLow && window.refill());
      const taken: QueueKey[] = [];
      const take = (): boolean => {
        const place = window.shift();
        if (place === undefined) return false;
        taken.push(place);
        shelf.places.delete(place);
        return true;
      };
      // New items are due no earlier than the items that were taken, as in a queue whose clock does not go back.
      const earliest = (): number => taken.at(-1)?.at ?? 0;
      const acts: Record<string, (at: number) => unknown> = {
        offer: (at) => window.offer(stored(earliest() + at)),
        take,
        refill,
        answer: () => shelf.answer(),
      };
      for (const { do: act, at } of steps) await acts[act]?.(at);
      for (let quiet = 0; quiet < 3; ) {
        refill();
        await shelf.answer();
        quiet = take() ? 0 : quiet + 1;
      }
      expect(new Set(taken.map(({ id }) => id)).size).toBe(taken.length);
      expect(taken.length).toBe(number);
    }),
    { numRuns: 300 },
  );
});

test('a read-ahead buffer holds at most twice its size, and asks for more when half is gone', async () => {
  const shelf = new Shelf();
  const window = new ReadAheadBuffer(10, shelf.load);
  void window.refill();
  await shelf.answer();
  for (let at = 0; at < 1_000; at++) {
    shelf.places.add({ at, id: 'x' });
    window.offer({ at, id: 'x' });
  }
  const held: QueueKey[] = [];
  for (let item = window.shift(); item !== undefined; item = window.shift()) held.push(item);
  expect(held.length).toBeLessThanOrEqual(20);
  expect(held[0]).toEqual({ at: 0, id: 'x' });
  expect(window.isLow).toBe(true);
});

test('items that are offered during a load and come before the loaded ones do not hide any of these', async () => {
  const shelf = new Shelf();
  const add = (at: number): QueueKey => {
    const place = { at, id: 'x' };
    shelf.places.add(place);
    return place;
  };
  for (let at = 100; at < 125; at++) add(at);
  const window = new ReadAheadBuffer(10, shelf.load);
  void window.refill();
  await shelf.answer();
  for (let taken = 0; taken < 8; taken++) window.shift();
  void window.refill();
  for (let at = 0; at < 30; at++) window.offer(add(at));
  await shelf.answer();

  const left: number[] = [];
  for (let item = window.shift(); item !== undefined; item = window.shift()) {
    left.push(item.at);
    if (window.isLow) void window.refill();
    await shelf.answer();
  }
  expect(left).toEqual([
    ...Array.from({ length: 30 }, (_, at) => at),
    ...Array.from({ length: 17 }, (_, at) => 108 + at),
  ]);
});

test('a delivery that has ended is no longer taken', async () => {
  const queue = new ReadyQueue({ store: new MemoryStore(), url: 'a', windowMs: 60_000, backlog: 0 });
  await queue.fill();
  queue.accept({ at: 1, id: 'ended' }, false);
  queue.accept({ at: 2, id: 'waits' }, false);
  queue.forget({ at: 1, id: 'ended' });
  expect([queue.waiting, queue.take(3)?.item.id, queue.take(3)]).toEqual([1, 'waits', undefined]);
});

test('the last item that was read is returned again after it was put back', async () => {
  const shelf = new Shelf();
  for (let at = 0; at < 10; at++) shelf.places.add({ at, id: 'x' });
  const window = new ReadAheadBuffer(10, shelf.load);
  void window.refill();
  await shelf.answer();
  let last: QueueKey | undefined;
  for (let count = 0; count < 10; count++) last = window.shift();
  expect(window.first).toBeUndefined();
  window.offer(last as QueueKey);
  expect(window.shift()).toEqual({ at: 9, id: 'x' });
});

test('an item that is offered during a load and withdrawn before its end is not returned', async () => {
  const shelf = new Shelf();
  for (let at = 0; at < 10; at++) shelf.places.add({ at, id: 'x' });
  const window = new ReadAheadBuffer(10, shelf.load);
  void window.refill();
  await shelf.answer();
  for (let count = 0; count < 10; count++) window.shift();
  void window.refill();
  window.offer({ at: 20, id: 'x' });
  expect([window.withdraw({ at: 20, id: 'x' }), window.withdraw({ at: 20, id: 'x' })]).toEqual([true, false]);
  await shelf.answer();
  expect(window.shift()).toBeUndefined();
});

test('a read-ahead buffer does not ask for more while it is being loaded', async () => {
  const shelf = new Shelf();
  const window = new ReadAheadBuffer(10, shelf.load);
  expect(window.isLow).toBe(true);
  void window.refill();
  expect(window.isLow).toBe(false);
});
