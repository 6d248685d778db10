import { expect, test } from 'vitest';
import { newEvent } from '../../../src/delivery/completion-rule.js';
import { MeantDeliveries } from '../../../src/destination/changes/meant-deliveries.js';
import { KnownWebhooks } from '../../../src/destination/endpoints/known-webhooks.js';

const [A, B] = ['https://a.example/hook', 'https://b.example/hook?key=secret'];

const attempt = (at: number, status: number) => ({ at, durationMs: 1, result: 'rejected' as const, status });

/** An event that died at `a` at time 20 after a 404, and at `b` at time 30 without an attempt. */
const dead = {
  ...newEvent('m1', 'track', [A, B], 10),
  isDead: true,
  urls: {
    [A]: { phase: 'dead' as const, at: 21, reason: 'permanent' as const, history: [attempt(20, 404)] },
    [B]: { phase: 'dead' as const, at: 30, reason: 'backlog-full' as const, history: [] },
  },
};

const meantBy = (filter: ConstructorParameters<typeof MeantDeliveries>[0]) =>
  new MeantDeliveries(
    filter,
    new KnownWebhooks([
      { key: A, url: A, id: 'main' },
      { key: B, url: B },
    ]),
  );

test.each([
  [{}, [A, B]],
  [{ status: '404' }, [A]],
  [{ status: '4XX' }, [A]],
  [{ status: '5xx' }, []],
  [{ event: 'track' }, [A, B]],
  [{ event: 'page' }, []],
  [{ attemptedFrom: 20, attemptedTo: 21 }, [A]],
  [{ attemptedFrom: 21 }, [B]],
  [{ attemptedTo: 20 }, []],
  [{ from: 11 }, []],
  [{ from: 10, to: 11 }, [A, B]],
  [{ to: 10 }, []],
  [{ diedBefore: 30 }, [A]],
  [{ endpointPart: 'main' }, [A]],
  [{ endpointPart: 'example' }, [A, B]],
  [{ endpointPart: 'b.example' }, [B]],
  [{ endpointPart: 'secret' }, []],
  [{ endpointPart: A }, [A]],
])('for an event that is dead at two webhooks, %j selects %j', (filter, urls) => {
  expect(
    meantBy(filter)
      .in(dead)
      .map(([url]) => url),
  ).toEqual(urls);
});

test('a filter by event name compares the name in the body', async () => {
  const store = { body: async () => Buffer.from('{"type":"track","event":"Bought"}') };
  const key = { id: 'm1', partition: undefined };
  expect(await meantBy({ event: 'Bought' }).isNamed(store, key)).toBe(true);
  expect(await meantBy({ event: 'Sold' }).isNamed(store, key)).toBe(false);
  expect(await meantBy({ event: 'track' }).isNamed({ body: async () => undefined }, key)).toBe(true);
});

test("the store's counts tell how many letters match a filter, unless they are not detailed enough for it", () => {
  const counted = [
    { url: A, type: 'track', reason: 'permanent', count: 3 },
    { url: B, type: 'page', reason: 'permanent', count: 4 },
  ] as const;
  expect(meantBy({ reason: 'permanent' }).countIn(counted)).toBe(7);
  expect(meantBy({ event: 'page' }).countIn(counted)).toBe(4);
  expect(meantBy({ endpointPart: 'a.example' }).countIn(counted)).toBe(3);
  for (const filter of [{ user: 'u1' }, { event: 'Bought' }, { status: '404' }, { attemptedFrom: 0 }, { to: 0 }])
    expect(meantBy(filter).countIn(counted)).toBeUndefined();
});
