import { expect, test, vi } from 'vitest';
import { sampleDeliveries, sampleDelivery, sampleEvents } from '../../src/webhooks/testing/index.js';
import { secret, setUp, track, withHeaders } from './receiving.js';

test('a receiver passes on a signed delivery of each of the seven types and answers 200', async () => {
  const { receive, events } = setUp();
  for (const delivery of sampleDeliveries({ secret })) expect((await receive(delivery)).status).toBe(200);
  expect(events).toEqual(Object.values(sampleEvents));
});

test('onEvent gets the bytes and the headers of the delivery', async () => {
  const onEvent = vi.fn();
  const { receive } = setUp({ onEvent });
  await receive(withHeaders({ 'x-tenant': 'a' }));
  const [, delivery] = onEvent.mock.calls[0] ?? [];
  expect(new TextDecoder().decode(delivery.body)).toBe(track.body);
  expect([delivery.header('x-tenant'), delivery.header('x-none')]).toEqual(['a', undefined]);
});

test('a receiver accepts a delivery signed with any of its secrets', async () => {
  const { receive } = setUp({ secrets: ['new', secret] });
  expect((await receive()).status).toBe(200);
});

test('an event of an unknown type goes to onUnknown and not to onEvent', async () => {
  const onUnknown = vi.fn();
  const { receive, events } = setUp({ onUnknown });
  const delivery = sampleDelivery('track', { secret, fields: { type: 'survey' } });
  expect((await receive(delivery)).status).toBe(200);
  expect(onUnknown.mock.calls[0]?.[0]).toEqual({ ...sampleEvents.track, type: 'survey' });
  expect(events).toEqual([]);
});

test('without onUnknown, an event of an unknown type is answered 200', async () => {
  const delivery = sampleDelivery('track', { secret, fields: { type: 'survey' } });
  expect((await setUp().receive(delivery)).status).toBe(200);
});

test('a signed event with a wrong field is answered 400 with the reason', async () => {
  const { receive, refusals, events } = setUp();
  const answer = await receive(sampleDelivery('track', { secret, fields: { event: 7 } }));
  expect(answer).toMatchObject({ status: 400, body: 'track.event: expected a non-empty string, got number 7\n' });
  expect(refusals[0]).toMatchObject({
    status: 400,
    code: 'EVENTFERRY_WEBHOOKS_REFUSED',
    cause: { name: 'ValidationError' },
  });
  expect(events).toEqual([]);
});

test.each([
  ['a GET', { ...track, method: 'GET' }, 405, { allow: 'POST' }],
  ['a form', withHeaders({ 'content-type': 'application/x-www-form-urlencoded' }), 415, { accept: 'application/json' }],
  ['text that a browser may post anywhere', withHeaders({ 'content-type': 'text/plain' }), 415, {}],
  ['a compressed body', withHeaders({ 'content-encoding': 'gzip' }), 415, { 'accept-encoding': 'identity' }],
  ['a Content-Length above the limit', withHeaders({ 'content-length': '65537' }), 413, {}],
])('a request with %s is refused before its body is read', async (_, request, status, headers) => {
  const body = vi.fn();
  const { receiver, refusals } = setUp();
  const { answer } = await receiver.receive({ ...request, body });
  expect(answer).toMatchObject({ status, headers });
  expect(body).not.toHaveBeenCalled();
  expect(refusals[0]?.status).toBe(status);
});

test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON'])(
  'a receiver accepts the Content-Type %s',
  async (type) => {
    expect((await setUp().receive(withHeaders({ 'content-type': type, 'content-encoding': 'identity' }))).status).toBe(
      200,
    );
  },
);
