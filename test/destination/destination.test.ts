import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { COMMON_HEADERS, signatureHeaders } from '../../src/signature/delivery-headers.js';
import { DEFAULT_SCHEMES, schemesOf } from '../../src/signature/schemes.js';
import { verifyStandard } from '../../src/signature/standard.js';
import { verify } from '../../src/signature/x-signature.js';
import type { EventStore } from '../../src/store/event-store.js';
import { MemoryStore } from '../../src/store/memory/memory-store.js';
import { startEndpoint } from '../scheduler/test-endpoint.js';
import { next, openDestination } from './open.js';
import { track } from './track.js';

const secret = 'shhh';

function gate(): { promise: Promise<void>; resolve(): void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((open) => {
    resolve = open;
  });
  return { promise, resolve: () => resolve() };
}

test('an inspection of a destination shows neither its secrets nor its URLs', async () => {
  const webhooks = [{ url: 'https://hooks.example/in?k=url-secret', headers: { 'X-Team': 'header-secret' } }];
  const { destination } = await openDestination({ webhooks, sharedSecret: 'shared-secret' });
  expect(inspect(destination, { depth: 12, showHidden: true })).not.toMatch(/secret|hooks\.example/);
});

describe('a delivery', () => {
  test('a delivery is one signed POST of the message with the documented headers', async () => {
    const endpoint = await startEndpoint(200);
    const { destination, clock } = await openDestination({
      webhooks: [{ url: `${endpoint.url}?team=a`, headers: { 'X-Team': 'a', Authorization: 'Bearer t' } }],
      sharedSecret: secret,
    });
    expect(await destination.deliver(track('m1'))).toEqual({ id: 'm1', status: 'accepted' });
    await destination.idle();

    const [request] = endpoint.received;
    expect(endpoint.received).toHaveLength(1);
    expect(request).toMatchObject({ method: 'POST', path: '/hook?team=a' });
    expect(JSON.parse(request?.body.toString() ?? '')).toEqual({ ...track('m1'), version: 1 });
    expect(request?.headers).toEqual({
      host: new URL(endpoint.url).host,
      connection: 'keep-alive',
      ...COMMON_HEADERS,
      ...signatureHeaders(
        { id: 'm1', body: request?.body ?? '', now: clock.wall() },
        schemesOf(DEFAULT_SCHEMES),
        secret,
      ),
      'content-length': String(request?.body.length),
      'x-team': 'a',
      authorization: 'Bearer t',
    });
  });

  test('a delivery without a secret has no signature', async () => {
    const endpoint = await startEndpoint(200);
    const { destination } = await openDestination({ webhooks: [{ url: endpoint.url }] });
    await destination.deliver(track('m1'));
    await destination.idle();
    expect(endpoint.received[0]?.headers['x-signature']).toBeUndefined();
  });

  test('a delivery has the headers of each scheme that `sign` names', async () => {
    const key = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const endpoint = await startEndpoint(200);
    const { destination, clock } = await openDestination({
      webhooks: [{ url: endpoint.url }],
      sharedSecret: key,
      sign: ['x-signature', 'standard'],
    });
    await destination.deliver(track('m1'));
    await destination.deliver(track('an id with spaces, and a.full.stop'));
    await destination.idle();
    expect(endpoint.received.map(({ headers }) => headers['webhook-id']).toSorted()).toEqual([
      expect.stringMatching(/^[0-9a-f]{64}$/),
      'm1',
    ]);
    for (const { headers, body } of endpoint.received) {
      expect(verifyStandard({ headers, body, secrets: key, now: clock.wall() })).toBe(true);
      expect(verify(body, headers['x-signature'] as string, key)).toBe(true);
    }
  });

  test('a delivery of a delete notification has exactly three fields', async () => {
    const endpoint = await startEndpoint(200);
    const { destination } = await openDestination({ webhooks: [{ url: endpoint.url }] });
    const message = { type: 'delete', userId: 'u1', timestamp: '2026-11-20T12:00:00.000Z' } as const;
    const { id, status } = await destination.deliver(message);
    await destination.idle();
    expect([status, id]).toEqual(['accepted', expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    expect(endpoint.received[0]?.body.toString()).toBe(JSON.stringify(message));
  });

  test('a delivery contains the message as it was when deliver was called', async () => {
    const endpoint = await startEndpoint(200);
    const { destination } = await openDestination({ webhooks: [{ url: endpoint.url }] });
    const message = track('m1');
    const accepted = destination.deliver(message);
    message.userId = 'changed';
    await accepted;
    await destination.idle();
    expect(JSON.parse(endpoint.received[0]?.body.toString() ?? '')).toMatchObject({ userId: 'u1' });
  });

  test('a delivery is retried with the same bytes, after 5 s and then 15 s', async () => {
    const endpoint = await startEndpoint(503, 500, 200);
    const { destination, clock } = await openDestination({ webhooks: [{ url: endpoint.url }], sharedSecret: secret });
    const starts: number[] = [];
    destination.on('attempt', ({ attempt }) => starts.push(attempt.at));
    const first = next(destination, 'attempt');
    await destination.deliver(track('m1'));
    expect((await first).nextAttemptAt).toBe(clock.now() + 5_000);
    for (const seconds of [5, 15]) {
      await clock.pass(seconds * 1_000 - 1);
      const made = next(destination, 'attempt');
      await clock.pass(1);
      await made;
    }
    await destination.idle();
    expect(starts.map((at) => at - (starts[0] ?? 0))).toEqual([0, 5_000, 20_000]);
    const [one, two, three] = endpoint.received;
    expect(two?.body.equals(one?.body ?? Buffer.of())).toBe(true);
    expect(three?.body.equals(one?.body ?? Buffer.of())).toBe(true);
    expect(three?.headers).toEqual(one?.headers);
  });

  test('a delivery waits as long as Retry-After demands', async () => {
    const endpoint = await startEndpoint({ status: 429, headers: { 'Retry-After': '90' } }, 200);
    const { destination, clock } = await openDestination({ webhooks: [{ url: endpoint.url }] });
    const first = next(destination, 'attempt');
    await destination.deliver(track('m1'));
    const { attempt, nextAttemptAt } = await first;
    expect(attempt).toMatchObject({ result: 'throttled', status: 429, retryAfterMs: 90_000 });
    expect(nextAttemptAt).toBe(clock.now() + 90_000);
  });

  test('a delivery is sent to every URL at the same time', async () => {
    const endpoints = await Promise.all([startEndpoint(() => {}), startEndpoint(() => {}), startEndpoint(() => {})]);
    const { destination } = await openDestination({ webhooks: endpoints.map(({ url }) => ({ url })) });
    await destination.deliver(track('m1'));
    await Promise.all(endpoints.map((endpoint) => endpoint.has(1)));
  });
});

test.each([1, 64])(
  'an event that the store lists before it is safely stored is delivered once, and only after it is accepted',
  async (concurrency) => {
    const endpoint = await startEndpoint(200);
    const inner = new MemoryStore();
    const [list, flush] = [gate(), gate()];
    const store: EventStore = {
      add: async (event, body) => {
        const isNew = await inner.add(event, body);
        await flush.promise;
        return isNew;
      },
      update: (id, change) => inner.update(id, change),
      event: (id) => inner.event(id),
      body: (id) => inner.body(id),
      waiting: async (url, stage, after, limit) => {
        await list.promise;
        return inner.waiting(url, stage, after, limit);
      },
      isBehind: (url, id) => inner.isBehind(url, id),
      dead: (after, limit) => inner.dead(after, limit),
      backlog: () => inner.backlog(),
      deadTotals: () => inner.deadTotals(),
      webhooks: inner.webhooks,
      placeFor: (now) => inner.placeFor(now),
      partitionOf: () => undefined,
      canRecord: () => true,
      onReady: undefined,
      flush: () => inner.flush(),
    };
    const { destination } = await openDestination({ webhooks: [{ url: endpoint.url }], concurrency, store });
    const acceptedAtDelivery = next(destination, 'delivered').then(() => destination.counters().accepted);
    const delivering = destination.deliver(track('m1'));
    list.resolve();
    // Everything that was started before these requests has ended after them.
    for (let count = 0; count < 20; count++) await fetch(endpoint.url, { method: 'POST' });
    flush.resolve();
    await delivering;
    expect(await acceptedAtDelivery).toBe(1);
    await destination.idle();
    await destination.close();
    expect(destination.counters()).toMatchObject({ attempts: 1, delivered: 1 });
    expect(destination.endpoints()).toMatchObject([{ waiting: 0 }]);
  },
);

describe('events that are not accepted', () => {
  test('an event is skipped when the destination is not enabled', async () => {
    const endpoint = await startEndpoint(200);
    const { destination } = await openDestination({ webhooks: [{ url: endpoint.url }], enabled: false });
    expect(await destination.deliver(track('m1'))).toEqual({ id: 'm1', status: 'skipped' });
    expect(destination.counters()).toMatchObject({ accepted: 0, skipped: 1 });
    await destination.idle();
  });

  test('an event is skipped when the message is for other destinations', async () => {
    const endpoint = await startEndpoint(200);
    const { destination } = await openDestination({ webhooks: [{ url: endpoint.url }] });
    const { status } = await destination.deliver({ ...track('m1'), integrations: { All: false } });
    expect(status).toBe('skipped');
    const context = { ip: '1', integrations: { Webhooks: false } };
    expect((await destination.deliver({ ...track('m3'), context })).status).toBe('skipped');
    expect(context.integrations).toEqual({ Webhooks: false });
    expect((await destination.deliver({ ...track('m2'), integrations: { All: false, Webhooks: true } })).status).toBe(
      'accepted',
    );
    await destination.idle();
    expect(endpoint.received).toHaveLength(1);
  });

  test('an event is a duplicate while an event with the same id waits', async () => {
    const endpoint = await startEndpoint(() => {});
    const { destination } = await openDestination({ webhooks: [{ url: endpoint.url }] });
    await destination.deliver(track('m1'));
    expect(await destination.deliver(track('m1'))).toEqual({ id: 'm1', status: 'duplicate' });
    expect(destination.counters()).toMatchObject({ accepted: 1, duplicates: 1 });
  });

  test('an event of an unknown type is refused', async () => {
    const endpoint = await startEndpoint(200);
    const { destination } = await openDestination({ webhooks: [{ url: endpoint.url }] });
    await expect(destination.deliver({ ...track('m1'), type: 'order' } as never)).rejects.toThrow('message.type');
  });
});

describe('several URLs', () => {
  test('with the rule any, one success settles the event, and the other URLs are not tried again', async () => {
    const [good, bad] = [await startEndpoint(200), await startEndpoint(503)];
    const { destination, clock } = await openDestination({ webhooks: [{ url: bad.url }, { url: good.url }] });
    const endings: unknown[] = [];
    destination.on('delivered', ({ id, endpoint }) => endings.push([id, endpoint]));
    await destination.deliver(track('m1'));
    await destination.idle();
    await clock.pass(14_400_000);
    expect([good.received.length, bad.received.length]).toEqual([1, 1]);
    expect(endings).toEqual([['m1', good.url]]);
    expect(destination.counters()).toMatchObject({ delivered: 1, dead: 0 });
    expect(await destination.explain('m1')).toBeUndefined();
  });

  test('with the rule any, the event is reported dead once when every URL has refused it', async () => {
    const [one, two] = [await startEndpoint(404), await startEndpoint(410)];
    const { destination } = await openDestination({ webhooks: [{ url: one.url }, { url: two.url }] });
    const dead = next(destination, 'dead');
    await destination.deliver(track('m1'));
    const { endpoints } = await dead;
    expect(endpoints.map(({ url, reason }) => [url, reason]).toSorted()).toEqual(
      [
        [one.url, 'permanent'],
        [two.url, 'permanent'],
      ].toSorted(),
    );
    expect(destination.counters()).toMatchObject({ delivered: 0, dead: 1 });
  });

  test('with the rule each, the event is delivered or dies at every URL separately', async () => {
    const [good, bad, slow] = [await startEndpoint(200), await startEndpoint(404), await startEndpoint(503, 200)];
    const webhooks = [good, bad, slow].map(({ url }) => ({ url }));
    const { destination, clock } = await openDestination({ webhooks, settle: 'each' });
    let attempts = 0;
    const allTried = next(destination, 'attempt', () => ++attempts === webhooks.length);
    await destination.deliver(track('m1'));
    await allTried;
    await clock.pass(5_000);
    await destination.idle();
    expect([good, bad, slow].map(({ received }) => received.length)).toEqual([1, 1, 2]);
    expect(destination.counters()).toMatchObject({ accepted: 1, attempts: 4, delivered: 2, dead: 1 });
  });
});

describe('endings', () => {
  test.each([301, 302, 307, 400, 401, 404, 410, 413, 422])(
    'an answer of %i is final, and a redirect is not followed',
    async (status) => {
      const elsewhere = await startEndpoint(200);
      const endpoint = await startEndpoint({ status, headers: { Location: elsewhere.url } });
      const { destination } = await openDestination({ webhooks: [{ url: endpoint.url }] });
      const dead = next(destination, 'dead');
      await destination.deliver(track('m1'));
      expect(await dead).toMatchObject({
        id: 'm1',
        type: 'track',
        endpoints: [{ reason: 'permanent', attempts: [{ status }] }],
      });
      expect([endpoint.received.length, elsewhere.received.length]).toEqual([1, 0]);
    },
  );

  test('an event that keeps failing is tried ten times within four hours, and is then a dead letter with its history', async () => {
    const endpoint = await startEndpoint(500);
    const { destination, clock } = await openDestination({ webhooks: [{ url: endpoint.url }] });
    const startedAt = clock.now();
    const dead = next(destination, 'dead');
    await destination.deliver(track('m1'));
    for (let count = 1; count < 10; count++) {
      await endpoint.has(count);
      await expect.poll(async () => (await destination.explain('m1'))?.endpoints[0]?.attempts.length).toBe(count);
      await clock.pass(((await destination.explain('m1'))?.endpoints[0]?.nextAttemptAt ?? 0) - clock.now());
    }
    const { endpoints } = await dead;
    expect(endpoints[0]).toMatchObject({ url: endpoint.url, reason: 'retries-used' });
    expect(endpoints[0]?.attempts.map(({ at }) => at - startedAt)).toEqual(
      // The last delay is drawn between 96 minutes and the rest of the window.
      [0, 5, 20, 65, 185, 545, 1_445, 3_545, 7_145, 13_652.5].map((seconds) => seconds * 1_000),
    );
  });
});
