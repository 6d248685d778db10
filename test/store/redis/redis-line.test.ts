import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newEvent } from '../../../src/delivery/completion-rule.js';
import type { Claimed } from '../../../src/store/redis/claims.js';
import { RedisLine } from '../../../src/store/redis/redis-line.js';
import type { StorePart } from '../../../src/store/redis/store-part.js';
import { StoreRecordError } from '../../../src/store/store-errors.js';
import { FakeClock } from '../../support/fake-clock.js';

const URL_A = 'https://a.example/';

/** Opens a line whose claims return these ids, with what it reports. */
function open(ids: readonly string[]) {
  const unreadable = new Set<string>();
  const gone = new Set<string>();
  const dropped: string[] = [];
  const held: string[] = [];
  const errors: unknown[] = [];
  const due: number[] = [];
  const claimed = ids.map((id) => ({ id, place: '1000', text: undefined, message: undefined, until: '-2000' }));
  const store = {
    connection: { claims: { ask: async () => claimed }, clock: new FakeClock() },
    leases: () => ({
      hold: (id: string) => held.push(id),
      drop: async (id: string) => void dropped.push(id),
    }),
    noteClaimed: (_: string, { id }: Claimed) => {
      if (unreadable.has(id)) throw new StoreRecordError(id, 'its text');
      return gone.has(id) ? undefined : { event: newEvent(id, 'track', [URL_A], 1_000), body: Buffer.from(id) };
    },
  };
  const line = new RedisLine({
    store: store as unknown as StorePart,
    url: URL_A,
    windowMs: 60_000,
    place: 3,
    partition: 3,
    reserve: () => 0,
    free: () => {},
    onDue: (partition) => due.push(partition),
    onCount: () => {},
    onError: (error) => errors.push(error),
    onClosed: () => {},
  });
  return { line, unreadable, gone, dropped, held, errors, due };
}

test('a claimed delivery whose event is gone is dropped, and the line is asked again', async () => {
  const { line, gone, dropped, due } = open(['m0', 'm1']);
  gone.add('m0');
  const taken = await line.take(() => 2);
  expect(taken).toMatchObject([{ item: { id: 'm1', at: 1_000, partition: 3 }, stage: 'first' }]);
  expect([dropped, due]).toEqual([['m0'], [3]]);
});

test('each unreadable record is reported and stays claimed, and all other deliveries are taken', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 12 }), async (isReadable) => {
      const ids = isReadable.map((_, index) => `m${index}`);
      const { line, unreadable, dropped, held, errors } = open(ids);
      for (const [index, id] of ids.entries()) if (!isReadable[index]) unreadable.add(id);
      const taken = await line.take(() => 12);
      const readable = ids.filter((id) => !unreadable.has(id));
      expect([taken.map(({ item }) => item.id), held]).toEqual([readable, readable]);
      expect(errors.map((error) => (error as StoreRecordError).eventId)).toEqual([...unreadable]);
      expect(dropped).toEqual([]);
    }),
    { numRuns: 100 },
  );
});
