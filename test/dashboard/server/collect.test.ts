import { expect, test } from 'vitest';
import { recordInto } from '../../../src/dashboard/server/collect.js';
import { Feed } from '../../../src/dashboard/server/live-feed.js';
import { listening } from '../../collector/support.js';

/** A collector on a free port, with a function that sends a batch and returns the feed's entries by kind. */
async function recording() {
  const feed = new Feed();
  const { url } = await listening(recordInto(feed));
  return async (body: string, writeKey = 'dev'): Promise<Record<string, Record<string, unknown>>> => {
    const authorization = `Basic ${Buffer.from(`${writeKey}:`).toString('base64')}`;
    const headers = { authorization, 'User-Agent': 'probe/1.0' };
    await (await fetch(`${url}/v1/batch`, { method: 'POST', headers, body })).text();
    const entries = () => feed.after(0, 10).map(({ json }) => JSON.parse(json));
    await expect.poll(() => entries().map(({ kind }) => kind)).toContain('batch');
    return Object.fromEntries(entries().map((entry) => [entry.kind, entry]));
  };
}

const track = { type: 'track', event: 'Paid €', userId: 'u1', messageId: 'm1' };

test('the recorder adds a message with its size and its request to the feed', async () => {
  const send = await recording();
  const { message, batch } = await send(JSON.stringify({ batch: [track] }));
  expect(message).toMatchObject({ kind: 'message', message: track });
  expect(message?.['bytes']).toBe(Buffer.byteLength(JSON.stringify(message?.['message'])));
  expect(batch).toMatchObject({
    kind: 'batch',
    messages: 1,
    rejected: 0,
    status: 200,
    client: 'probe/1.0',
    attempt: 1,
  });
});

test('the recorder shortens a long refused message', async () => {
  const send = await recording();
  const { rejected } = await send(JSON.stringify({ batch: [{ ...track, properties: { long: 'x'.repeat(40_000) } }] }));
  expect(rejected).toMatchObject({ kind: 'rejected', client: 'probe/1.0' });
  const raw = String(rejected?.['raw']);
  expect([raw.length, raw.slice(-3)]).toEqual([32_769, 'xx…']);
});

test('the recorder names no source if the write key is unknown', async () => {
  const send = await recording();
  const { batch, rejected } = await send(JSON.stringify({ batch: [track] }), 'wrong');
  expect([batch?.['source'], rejected?.['source'], batch?.['status']]).toEqual(['', '', 401]);
});
