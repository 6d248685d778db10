import { describe, expect, test } from 'vitest';
import type { SettleRule } from '../../../src/delivery/completion-rule.js';
import { newEvent } from '../../../src/delivery/completion-rule.js';
import { deadLetters } from '../../../src/destination/changes/dead-letters.js';
import type { DeadLetterFilter } from '../../../src/destination/changes/delivery-filter.js';
import { type WaitingDelivery, waitingDeliveries } from '../../../src/destination/changes/waiting-deliveries.js';
import { KnownWebhooks } from '../../../src/destination/endpoints/known-webhooks.js';
import {
  explainStored,
  type StoredExplanation,
  storedLetters,
} from '../../../src/destination/endpoints/stored-explanation.js';
import { MemoryStore } from '../../../src/store/memory/memory-store.js';
import { type Reaction, startEndpoint } from '../../scheduler/test-endpoint.js';
import { FakeClock } from '../../support/fake-clock.js';
import { next, openDestination } from '../open.js';
import { track } from '../track.js';

const all = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
};

/** Returns a store that a destination has left after one attempt of one message at each of these endpoints. */
async function leftBehind({ settle = 'any' as SettleRule }, ...reactions: Reaction[]) {
  const endpoints = await Promise.all(reactions.map((reaction) => startEndpoint(reaction, 200)));
  const webhooks = endpoints.map(({ url }) => ({ url }));
  const clock = new FakeClock();
  const store = new MemoryStore();
  const { destination } = await openDestination({ webhooks, settle, store }, { clock });
  let attempts = 0;
  const done = next(destination, 'attempt', () => ++attempts === reactions.length);
  await destination.deliver(track('m1'));
  await done;
  await destination.close();
  const inspector = {
    waiting: (filter = {}) => waitingDeliveries(store, filter),
    deadLetters: () => deadLetters(store, {}),
    explain: (id: string) => explainStored(store, id, clock.now(), false),
    replay: async (filter: DeadLetterFilter) =>
      storedLetters(store, clock).replay(await KnownWebhooks.of(store), filter, {}),
  };
  return { inspector, store, clock, webhooks, endpoints, settle, urls: webhooks.map(({ url }) => url) };
}

describe('waiting deliveries', () => {
  test('waiting deliveries are listed with their endpoint, their due time and their attempts', async () => {
    const { inspector, clock, urls } = await leftBehind({}, 503);
    expect(await all(inspector.waiting())).toMatchObject([
      { id: 'm1', type: 'track', endpoint: urls[0], due: clock.now() + 5_000, attempts: [{ status: 503 }] },
    ]);
  });

  test('waiting deliveries are found by endpoint and by type', async () => {
    const { inspector, urls } = await leftBehind({}, 503, 503);
    const where = async (waiting: AsyncIterable<WaitingDelivery>) =>
      (await all(waiting)).map(({ endpoint }) => endpoint);
    expect((await where(inspector.waiting())).sort()).toEqual([...urls].sort());
    expect(await where(inspector.waiting({ endpoint: urls[1] }))).toEqual([urls[1]]);
    expect(await where(inspector.waiting({ type: 'page' }))).toEqual([]);
  });

  test('waiting deliveries are read page by page, each once', async () => {
    const store = new MemoryStore();
    const ids = Array.from({ length: 600 }, (_, number) => `m${number}`);
    for (const [number, id] of ids.entries()) await store.add(newEvent(id, 'track', ['u'], number), Buffer.from('{}'));
    const waiting = await all(waitingDeliveries(store, {}));
    expect(waiting.map(({ id }) => id)).toEqual(ids);
  });
});

describe('an explanation', () => {
  const first = (explanation: StoredExplanation | undefined) => explanation?.endpoints[0];

  test('an explanation from the store says where an event stands and why, without anything that depends on settings', async () => {
    const { inspector, clock } = await leftBehind({}, 503);
    const explanation = await inspector.explain('m1');
    expect(first(explanation)).toMatchObject({
      phase: 'retrying',
      nextAttemptAt: clock.now() + 5_000,
      rule: 'a 5xx status means that the endpoint fails for now, so it is tried again',
      why: 'its next attempt is not due yet',
    });
    expect(explanation).not.toHaveProperty('settle');
    expect(first(explanation)).not.toHaveProperty('triedUntil');
  });

  test('the explanation of a due delivery says that a destination must open the store', async () => {
    const { inspector, clock } = await leftBehind({}, 503);
    await clock.pass(60_000);
    expect(first(await inspector.explain('m1'))?.why).toBe(
      'it is due, and goes out when a destination opens the store',
    );
  });

  test('the explanation of a due delivery says that the process that has the store open sends it', async () => {
    const { store, clock } = await leftBehind({}, 503);
    const explanation = await explainStored(store, 'm1', clock.now() + 60_000, true);
    expect(first(explanation)?.why).toBe('it is due, and goes out from the process that has the store open');
  });

  test('there is no explanation of an event that is not in the store', async () => {
    const { inspector } = await leftBehind({}, 200);
    expect(await inspector.explain('m1')).toBeUndefined();
  });
});

describe('a replay', () => {
  test('a replay in the store sends nothing, and the next destination sends what it marked, with the same bytes', async () => {
    const { inspector, store, clock, webhooks, endpoints } = await leftBehind({}, 404);
    expect(await all(inspector.deadLetters())).toHaveLength(1);
    expect(await inspector.replay({ id: 'm1' })).toBe(1);
    expect(await all(inspector.deadLetters())).toEqual([]);
    expect(await all(inspector.waiting())).toMatchObject([{ id: 'm1', due: clock.now() }]);
    expect(endpoints[0]?.received).toHaveLength(1);

    const { destination } = await openDestination({ webhooks, store }, { clock });
    await destination.idle();
    const [before, after] = endpoints[0]?.received ?? [];
    expect(after?.body).toEqual(before?.body);
    expect(await inspector.explain('m1')).toBeUndefined();
  });

  test.each(['any', 'each'] as const)(
    'a replay at one endpoint leaves the letter of the other, with the rule %s',
    async (settle) => {
      const { inspector, urls } = await leftBehind({ settle }, 404, 410);
      expect(await inspector.replay({ endpoint: urls[0] })).toBe(1);
      expect(await all(inspector.deadLetters())).toMatchObject([{ endpoint: urls[1] }]);
      expect(await all(inspector.waiting())).toMatchObject([{ endpoint: urls[0] }]);
    },
  );

  test('a replay whose filter matches nothing replays no delivery', async () => {
    const { inspector } = await leftBehind({}, 404);
    expect(await inspector.replay({ type: 'page' })).toBe(0);
    expect(await inspector.replay({ id: 'none' })).toBe(0);
  });
});
