import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Deduplicator } from '../../src/collector/deduplicator.js';
import type { ReceivedMessage } from '../../src/collector/received-message.js';
import { deferred } from './support.js';

const once = () => new Deduplicator({ windowMs: 1_000, maxIds: 1_000, now: () => 0 });

const messages = (...ids: string[]): ReceivedMessage[] =>
  ids.map((messageId) => ({ type: 'identify', messageId, timestamp: '', receivedAt: '' }));

const idsOf = (received: ReceivedMessage[]): string[] => received.map(({ messageId }) => messageId);

test('an id that was stored is not handed on again', async () => {
  const hands = once();
  const stored: string[] = [];
  const store = (fresh: ReceivedMessage[]) => void stored.push(...idsOf(fresh));
  expect(await hands.handOn('s', messages('a', 'b', 'a'), store)).toEqual({ accepted: 2, duplicates: 1 });
  expect(await hands.handOn('s', messages('b', 'c'), store)).toEqual({ accepted: 1, duplicates: 1 });
  expect(stored).toEqual(['a', 'b', 'c']);
});

test('the same id from another source belongs to another message', async () => {
  const hands = once();
  await hands.handOn('website', messages('a'), () => {});
  expect(await hands.handOn('app', messages('a'), () => {})).toEqual({ accepted: 1, duplicates: 0 });
});

test('an id that could not be stored is handed on again', async () => {
  const hands = once();
  const failing = hands.handOn('s', messages('a'), () => Promise.reject(new Error('disk full')));
  await expect(failing).rejects.toThrow('disk full');
  expect(await hands.handOn('s', messages('a'), () => {})).toEqual({ accepted: 1, duplicates: 0 });
});

test('a request with an id that another one is storing waits for it, and only hands on the rest', async () => {
  const hands = once();
  const disk = deferred();
  const order: string[] = [];
  const first = hands.handOn('s', messages('a'), () => disk.promise).then(() => order.push('first'));
  const second = hands
    .handOn('s', messages('a', 'b'), (fresh) => void order.push(`stores ${idsOf(fresh)}`))
    .then(() => order.push('second'));
  disk.resolve();
  await Promise.all([first, second]);
  expect(order).toEqual(['stores b', 'first', 'second']);
});

test('a function that changes what it is given does not change what is remembered', async () => {
  const hands = once();
  await hands.handOn('s', messages('a', 'b'), (fresh) => {
    const [first] = fresh.splice(0);
    if (first !== undefined) first.messageId = 'c';
  });
  const later = await hands.handOn('s', messages('a', 'b', 'c'), () => {});
  expect(later).toEqual({ accepted: 1, duplicates: 2 });
});

test('a request fails if another one fails to store its message', async () => {
  const hands = once();
  const disk = deferred();
  const first = hands.handOn('s', messages('a'), () => disk.promise);
  const second = hands.handOn('s', messages('a'), () => {});
  disk.reject(new Error('disk full'));
  await expect(first).rejects.toThrow('disk full');
  await expect(second).rejects.toThrow('Another request was storing the same message and failed');
});

test('two requests that contain each other’s ids do not wait forever', async () => {
  const hands = once();
  const disk = deferred();
  const both = [
    hands.handOn('s', messages('a', 'b'), () => disk.promise),
    hands.handOn('s', messages('b', 'c', 'a'), () => disk.promise),
  ];
  disk.resolve();
  expect(await Promise.all(both)).toEqual([
    { accepted: 2, duplicates: 0 },
    { accepted: 1, duplicates: 2 },
  ]);
});

test('overlapping and failing requests neither acknowledge an id before it is stored nor store it twice', async () => {
  const request = fc.record({
    ids: fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 4 }),
    fails: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(request, { maxLength: 8 }), async (scheduler, requests) => {
      const hands = once();
      const durable: string[] = [];
      const ends = requests.map(async ({ ids, fails }) => {
        await scheduler.schedule(Promise.resolve());
        const store = async (fresh: ReceivedMessage[]): Promise<void> => {
          await scheduler.schedule(Promise.resolve());
          if (fails) throw new Error('disk full');
          durable.push(...idsOf(fresh));
        };
        const acknowledged = await hands.handOn('s', messages(...ids), store).catch(() => undefined);
        if (acknowledged !== undefined) expect(durable).toEqual(expect.arrayContaining(ids));
      });
      await scheduler.waitFor(Promise.all(ends));
      expect(new Set(durable).size).toBe(durable.length);
    }),
  );
});
