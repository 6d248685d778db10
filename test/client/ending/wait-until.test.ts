import { afterEach, describe, expect, test, vi } from 'vitest';
import { Analytics } from '../../../src/index.js';
import { client, next, track } from '../../support/client.js';
import { settled } from '../../support/fake-clock.js';
import { ok, type Received, sink, status } from '../../support/sink.js';

/** A platform that records the promises it gets. */
function platform() {
  const promises: Promise<unknown>[] = [];
  return { promises, waitUntil: (promise: Promise<unknown>) => void promises.push(promise) };
}

test('waitUntil gets one promise for all calls of a burst, which resolves when all of them are delivered', async () => {
  const collector = await sink();
  const { promises, waitUntil } = platform();
  const { analytics } = client({ endpoint: collector.url, waitUntil });
  analytics.track(track('first'));
  analytics.track(track('second'));
  analytics.child({ userId: 'u2' }).track({ event: 'third' });
  expect(promises).toHaveLength(1);
  await promises[0];
  expect(analytics.stats()).toMatchObject({ delivered: 3, pending: 0, requests: 1 });
});

test('waitUntil gets another promise for a later call, which also covers messages that are being sent', async () => {
  let answer = (_: Response): void => {};
  const collector = await sink(() => new Promise((resolve) => (answer = resolve)));
  const { promises, waitUntil } = platform();
  const { analytics } = client({ endpoint: collector.url, waitUntil });
  analytics.track(track('first'));
  await expect.poll(() => collector.requests).toHaveLength(1);
  analytics.track(track('second'));
  expect(promises).toHaveLength(2);
  answer(ok());
  await promises[1];
  expect(analytics.stats()).toMatchObject({ delivered: 2, pending: 0 });
});

test('the promise for waitUntil covers the calls of other runs in the same burst', async () => {
  const collector = await sink();
  const [one, other] = [platform(), platform()];
  const { analytics } = client({ endpoint: collector.url });
  analytics.run({ waitUntil: one.waitUntil }, () => analytics.track(track('one')));
  analytics.run({ waitUntil: other.waitUntil }, () => analytics.track(track('other')));
  expect([one.promises.length, other.promises.length]).toEqual([1, 1]);
  await one.promises[0];
  expect(analytics.stats()).toMatchObject({ delivered: 2, requests: 1 });
});

test('the waitUntil of a child wins over that of a run, which wins over that of the client', async () => {
  const [mine, ours, everyones] = [platform(), platform(), platform()];
  const { analytics } = client({ endpoint: (await sink()).url, waitUntil: everyones.waitUntil });
  const child = analytics.child({ waitUntil: mine.waitUntil });
  analytics.run({ waitUntil: ours.waitUntil }, () => {
    child.track(track());
    analytics.track(track());
  });
  analytics.track(track());
  expect([mine, ours, everyones].map(({ promises }) => promises.length)).toEqual([1, 1, 1]);
});

test('the promise for waitUntil resolves after 10 s of an outage, and waiting messages are sent later', async () => {
  const collector = await sink(() => status(503, { 'Retry-After': '60' }));
  const { promises, waitUntil } = platform();
  const { analytics, clock } = client({ endpoint: collector.url, waitUntil });
  analytics.on('retry', () => {});
  const retry = next(analytics, 'retry');
  const { delivered } = analytics.track(track());
  await retry;
  clock.advance(9_999);
  expect(await Promise.race([promises[0], settled().then(() => 'pending')])).toBe('pending');
  clock.advance(1);
  await promises[0];
  expect(analytics.stats()).toMatchObject({ pending: 1, lost: 0 });
  clock.advance(50_000);
  await delivered;
});

test('the promise for waitUntil resolves when the collector refuses the messages', async () => {
  const { promises, waitUntil } = platform();
  const { analytics, lost } = client({ endpoint: (await sink(401)).url, waitUntil });
  analytics.track(track());
  await promises[0];
  expect(lost).toHaveLength(1);
});

test('a waitUntil that throws does not affect the call', async () => {
  const collector = await sink();
  const waitUntil = () => {
    throw new Error('outside of a request');
  };
  const { analytics } = client({ endpoint: collector.url, waitUntil });
  await analytics.track(track()).delivered;
  expect(collector.messages).toHaveLength(1);
});

test('waitUntil is not called for a message that is not sent, or for an import', async () => {
  const { promises, waitUntil } = platform();
  const { url } = await sink();
  client({ endpoint: url, waitUntil, enabled: false }).analytics.track(track());
  await client({ endpoint: url, waitUntil }).analytics.import([{ type: 'track', ...track(), timestamp: new Date() }]);
  expect(promises).toEqual([]);
});

test.each([null, true, {}])('a waitUntil that is not a function is refused: %j', (waitUntil) => {
  const message = /waitUntil.*expected a function|Expected `waitUntil` to be a function/;
  const endpoint = 'http://127.0.0.1:9';
  expect(() => new Analytics({ writeKey: 'k', endpoint, waitUntil: waitUntil as never })).toThrow(message);
  expect(() => client({ endpoint }).analytics.run({ waitUntil: waitUntil as never }, () => {})).toThrow(message);
});

describe('the waitUntil of the platform', () => {
  const places = globalThis as unknown as Record<symbol, unknown>;
  const NEXT = Symbol.for('@next/request-context');
  const VERCEL = Symbol.for('@vercel/request-context');

  afterEach(() => {
    delete places[NEXT];
    delete places[VERCEL];
    vi.unstubAllEnvs();
  });

  const receives = async (): Promise<Received[]> => {
    const collector = await sink();
    const { analytics } = client({ endpoint: collector.url });
    analytics.track(track());
    // Long enough for a message to be sent if it is due: nothing else would send it before 5 s have passed.
    await settled();
    return collector.requests;
  };

  test.each([NEXT, VERCEL])('%s provides the waitUntil of the request, and the client finds it', async (place) => {
    const { promises, waitUntil } = platform();
    places[place] = { get: () => ({ waitUntil }) };
    const requests = await receives();
    expect(promises).toHaveLength(1);
    await promises[0];
    expect(requests).toHaveLength(1);
  });

  test("if VERCEL is set, a platform's waitUntil is found even if it appears after the client was created", async () => {
    vi.stubEnv('VERCEL', '1');
    const { promises, waitUntil } = platform();
    const { analytics } = client({ endpoint: (await sink()).url });
    places[VERCEL] = { get: () => ({ waitUntil }) };
    analytics.track(track());
    expect(promises).toHaveLength(1);
  });

  test.each([
    ['no request', { get: () => undefined }],
    ['a request without a waitUntil', { get: () => ({}) }],
    ['something else', {}],
  ])('if the platform provides no waitUntil, the message is still sent: %s', async (_, place) => {
    places[VERCEL] = place;
    const requests = await receives();
    await expect.poll(() => requests).toHaveLength(1);
  });

  test('on a platform without a waitUntil, the client waits for more messages', async () => {
    expect(await receives()).toEqual([]);
  });

  test('the platform is not asked if the caller provides a waitUntil', async () => {
    const [own, found] = [platform(), platform()];
    places[VERCEL] = { get: () => ({ waitUntil: found.waitUntil }) };
    const { analytics } = client({ endpoint: (await sink()).url, waitUntil: own.waitUntil });
    analytics.track(track());
    expect([own.promises.length, found.promises.length]).toEqual([1, 0]);
  });
});
