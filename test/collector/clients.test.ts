import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import RudderAnalytics from '@rudderstack/rudder-sdk-node';
import { Analytics as SegmentAnalytics } from '@segment/analytics-node';
import OldAnalytics from 'analytics-node';
import { expect, test } from 'vitest';
import { Analytics, type Transport } from '../../src/index.js';
import { serve } from '../support/loopback.js';
import { listening } from './support.js';

test('@segment/analytics-node delivers all six calls', async () => {
  const { url, messages, requests } = await listening({ now: Date.now });
  const analytics = new SegmentAnalytics({ writeKey: 'dev', host: url, maxRetries: 0 });
  const timestamp = new Date('2015-06-01T12:00:00Z');
  analytics.identify({ userId: 'u', traits: { plan: 'pro' }, timestamp });
  analytics.track({ userId: 'u', event: 'Order Completed', properties: { total: 42 } });
  analytics.page({ anonymousId: 'a', name: 'Pricing' });
  analytics.screen({ anonymousId: 'a', name: 'Checkout' });
  analytics.group({ userId: 'u', groupId: 'g', traits: { seats: 4 } });
  analytics.alias({ userId: 'u', previousId: 'a' });
  await analytics.closeAndFlush({ timeout: 5_000 });
  expect(messages.map(({ type }) => type)).toEqual(['identify', 'track', 'page', 'screen', 'group', 'alias']);
  expect(messages[0]).toMatchObject({
    userId: 'u',
    traits: { plan: 'pro' },
    originalTimestamp: '2015-06-01T12:00:00.000Z',
    context: { library: { name: '@segment/analytics-node' } },
  });
  expect(requests[0]?.attempt).toBe(1);
});

test('our own client delivers, and loses exactly the messages that the collector rejects', async () => {
  const { url, messages } = await listening({ now: Date.now });
  // Our collector accepts everything that our client accepts, so the transport spoils one message.
  const transport: Transport = async ({ url, headers, body }) => {
    const spoilt = Buffer.from(body).toString().replace('"event":"Spoilt"', '"event":""');
    const answer = await fetch(url, { method: 'POST', headers, body: spoilt });
    return { status: answer.status, headers: answer.headers, body: await answer.text() };
  };
  const analytics = new Analytics({ writeKey: 'dev', endpoint: url, transport });
  const before = analytics.track({ userId: 'u', event: 'Before' }).delivered;
  const spoilt = analytics.track({ userId: 'u', event: 'Spoilt' }).delivered;
  const after = analytics.track({ userId: 'u', event: 'After' }).delivered;
  await Promise.all([
    expect(before).resolves.not.toThrow(),
    expect(spoilt).rejects.toThrow('missing_event: event: expected a non-empty string'),
    expect(after).resolves.not.toThrow(),
    analytics.close(),
  ]);
  expect(messages).toMatchObject([{ event: 'Before' }, { event: 'After' }]);
});

/** Each entry sends one call and reports how it ended. */
const OTHERS: Record<string, (url: string) => Promise<void>> = {
  '@segment/analytics-node': async (url) => {
    const analytics = new SegmentAnalytics({ writeKey: 'dev', host: url });
    analytics.track({ userId: 'u', event: 'Bad' });
    await analytics.closeAndFlush({ timeout: 20_000 });
  },
  'analytics-node': async (url) =>
    calling((errorHandler) => new OldAnalytics('dev', { host: url, flushAt: 1, errorHandler })),
  '@rudderstack/rudder-sdk-node': async (url) =>
    calling((errorHandler) => new RudderAnalytics('dev', { dataPlaneUrl: url, flushAt: 1, errorHandler })),
};

/** Without an error handler, these clients end the process when a request is refused. */
const calling = (open: (errorHandler: (error: Error) => void) => unknown): Promise<void> =>
  new Promise((resolve) => {
    const analytics = open(() => resolve()) as { track(fields: object): void };
    analytics.track({ userId: 'u', event: 'Bad' });
  });

test.each(Object.entries(OTHERS))(
  '%s does not resend a batch if none of its messages was accepted',
  async (_, send) => {
    const { url, messages, answered } = await listening({ now: Date.now });
    await send(await rejecting(url));
    expect(messages).toEqual([]);
    expect(answered.map(({ status, code }) => [status, code])).toEqual([[400, 'all_rejected']]);
  },
);

/** A proxy in front of the collector that removes the types from messages. */
async function rejecting(url: string): Promise<string> {
  return serve(async (incoming, outgoing) => {
    const body = await buffer(incoming);
    const isGzip = incoming.headers['content-encoding'] === 'gzip';
    const json = (isGzip ? gunzipSync(body) : body).toString().replaceAll('"type":"track"', '"type":"x"');
    const headers = { authorization: incoming.headers.authorization ?? '', 'content-type': 'application/json' };
    const answer = await fetch(url + incoming.url, { method: 'POST', headers, body: json });
    outgoing.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(await answer.text());
  });
}
