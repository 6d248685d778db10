import { expect, test, vi } from 'vitest';
import { standardHeaders, type WebhookEvent } from '../../src/webhooks/index.js';
import { sampleDelivery, sampleEvents } from '../../src/webhooks/testing/index.js';
import { gate, secret, setUp } from './receiving.js';

test('if onEvent throws, the answer is 500 and only onError gets the reason', async () => {
  const error = new Error('the database is away');
  const { receive, failures } = setUp({
    onEvent: () => {
      throw error;
    },
  });
  expect(await receive()).toMatchObject({ status: 500, body: 'The handler failed\n' });
  expect(failures).toEqual([[error, { event: sampleEvents.track, answered: false }]]);
});

test('if onEvent rejects, the answer is 500', async () => {
  expect((await setUp({ onEvent: () => Promise.reject(new Error('no')) }).receive()).status).toBe(500);
});

test('if onUnknown rejects, the answer is 500', async () => {
  const { receive } = setUp({ onUnknown: () => Promise.reject(new Error('no')) });
  expect((await receive(sampleDelivery('track', { secret, fields: { type: 'survey' } }))).status).toBe(500);
});

test.each([
  ['throws', () => JSON.parse('{')],
  ['rejects', () => Promise.reject(new Error('no'))],
])('the answer stays the same if onError and onRefused %s', async (_, hook) => {
  const { receive } = setUp({ onEvent: () => JSON.parse('{'), onError: hook, onRefused: hook });
  expect((await receive()).status).toBe(500);
  expect((await receive(sampleDelivery('track'))).status).toBe(401);
});

test('without onError, the error of a handler is printed', async () => {
  const print = vi.spyOn(console, 'error').mockImplementation(() => {});
  const error = new Error('the database is away');
  await setUp({ onEvent: () => Promise.reject(error), onError: undefined }).receive();
  expect(print.mock.calls).toEqual([[error]]);
  print.mockRestore();
});

test.each([
  ['at once', (id: string) => id === 'sample-track'],
  ['later', async (id: string) => id === 'sample-track'],
])('an event that `seen` reports %s as handled is answered 200 and not handled again', async (_, seen) => {
  const { receive, events } = setUp({ seen });
  expect((await receive()).status).toBe(200);
  expect((await receive(sampleDelivery('page', { secret }))).status).toBe(200);
  expect(events).toEqual([sampleEvents.page]);
});

test('if `seen` fails, the answer is 500 and the event is not handled', async () => {
  const error = new Error('redis is away');
  const { receive, events, failures } = setUp({ seen: () => Promise.reject(error) });
  expect((await receive()).status).toBe(500);
  expect(events).toEqual([]);
  expect(failures).toEqual([[error, { event: sampleEvents.track, answered: false }]]);
});

test('an event whose handler failed is handled at its next attempt', async () => {
  const done = new Set<string>();
  let attempts = 0;
  const onEvent = (event: WebhookEvent): void => {
    attempts++;
    if (attempts === 1) throw new Error('not yet');
    if (event.type === 'track') done.add(event.messageId);
  };
  const { receive } = setUp({ seen: (id) => done.has(id), onEvent });
  expect([(await receive()).status, (await receive()).status, (await receive()).status]).toEqual([500, 200, 200]);
  expect(attempts).toBe(2);
});

test('a delivery that arrives again while it is being handled shares the result of the first', async () => {
  const work = gate();
  const onEvent = vi.fn(() => work.passed);
  const { receive } = setUp({ seen: () => false, onEvent });
  const both = [receive(), receive()];
  work.fail(new Error('no'));
  expect((await Promise.all(both)).map(({ status }) => status)).toEqual([500, 500]);
  expect(onEvent).toHaveBeenCalledTimes(1);
  await receive();
  expect(onEvent).toHaveBeenCalledTimes(2);
});

test('`seen` is called with the signed webhook-id of a delete, and not called if there is none', async () => {
  const seen = vi.fn(() => false);
  const { receive } = setUp({ seen, accept: ['x-signature', 'standard'] });
  await receive(sampleDelivery('delete', { secret }));
  expect(seen).not.toHaveBeenCalled();
  await receive(sampleDelivery('delete', { secret, sign: ['standard'], webhookId: 'evt-1' }));
  expect(seen.mock.calls).toEqual([['evt-1']]);
});

test('`seen` is not called with an unsigned webhook-id', async () => {
  const seen = vi.fn(() => false);
  const { receive } = setUp({ seen });
  const { body, ...request } = sampleDelivery('delete', { secret });
  const headers = standardHeaders({ id: 'forged', timestampSeconds: 1, body, secret: `whsec_${'A'.repeat(32)}` });
  await receive({ ...request, body, headers: { ...request.headers, ...headers } });
  expect(seen).not.toHaveBeenCalled();
});
