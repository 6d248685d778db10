import { expect, test } from 'vitest';
import { startEndpoint } from '../../scheduler/test-endpoint.js';
import { configOf, destinationOf, sendBatch, serving, sourceOf } from '../support.js';

const PATH = '/v1/destinations/crm/test';

test('a test event is posted once to each webhook with a signature, and the answers are returned', async () => {
  const [good, bad] = [
    await startEndpoint({ status: 200, headers: { 'x-request': 'r1', 'set-cookie': 'session=1' } }),
    await startEndpoint((_, response) => void response.writeHead(503).end('come back later')),
  ];
  const webhooks = [{ url: good.url }, { id: 'spare', url: bad.url, headers: { 'X-Api-Key': 'a-secret' } }];
  const { ask, service } = await serving(configOf({ destinations: [destinationOf(good.url, { webhooks })] }));
  const { status, body } = await ask(PATH, { method: 'POST', json: {} });
  expect(status).toBe(200);
  expect(body).toMatchObject([
    { url: good.url, attempt: { result: 'success', status: 200, answer: { headers: { 'x-request': 'r1' } } } },
    {
      id: 'spare',
      url: bad.url,
      attempt: { result: 'server-error', status: 503, answer: { text: 'come back later' } },
    },
  ]);
  expect(body[0].attempt.sent.headers['x-signature']).toBe('***');
  expect(JSON.stringify(body)).not.toContain('a-secret');
  expect(good.received[0]?.headers['x-signature']).toMatch(/^[0-9a-f]{40}$/);
  expect(JSON.parse(String(good.received[0]?.body))).toMatchObject({
    type: 'track',
    event: 'eventferry test',
    version: 1,
  });
  expect(service.destinations()[0]?.destination.counters()).toMatchObject({ accepted: 0, attempts: 0, dead: 0 });
  expect((await ask('/v1/destinations/crm')).body).toMatchObject({ waiting: 0, deadLetters: 0 });
  expect(bad.received).toHaveLength(1);
});

test('a test event is sent only to the named webhook with the given message, even while paused', async () => {
  const [one, other] = [await startEndpoint(200), await startEndpoint(200)];
  const webhooks = [{ url: one.url }, { id: 'spare', url: other.url }];
  const { ask } = await serving(configOf({ destinations: [destinationOf(one.url, { webhooks })] }));
  await ask('/v1/destinations/crm/paused', { method: 'PUT', json: { paused: true } });
  const message = { type: 'page', userId: 'u1', name: 'Home' };
  const { body } = await ask(PATH, { method: 'POST', json: { endpoint: 'spare', message } });
  expect(body).toMatchObject([{ id: 'spare', attempt: { status: 200 } }]);
  expect(JSON.parse(String(other.received[0]?.body))).toMatchObject({ type: 'page', name: 'Home' });
  expect(one.received).toEqual([]);
});

test('a webhook that cannot be reached is reported with the error of the attempt', async () => {
  const { ask } = await serving(configOf({ destinations: [destinationOf('http://127.0.0.1:1/hook')] }));
  const { body } = await ask(PATH, { method: 'POST', json: {} });
  expect(body).toMatchObject([{ attempt: { result: 'network', code: 'ECONNREFUSED' } }]);
});

test.each([
  [{ endpoint: 'none' }, '`endpoint`: expected a webhook of this destination, got string "none"'],
  [{ message: [] }, '`message`: expected an object, got a list of 0'],
  [{ endpiont: 'spare' }, '`endpiont` is not a field of this body, which takes endpoint, message'],
  [{ message: { type: 'track', userId: 'u1' } }, 'event'],
  [{ message: { type: 'none' } }, 'message.type: expected one of'],
])('a test event is refused and not sent: %j', async (json, message) => {
  const crm = await startEndpoint(200);
  const { ask } = await serving(configOf({ destinations: [destinationOf(crm.url)] }));
  const refused = await ask(PATH, { method: 'POST', json });
  expect(refused).toMatchObject({ status: 422, body: { code: 'invalid_field' } });
  expect(refused.body.message).toContain(message);
  expect(crm.received).toEqual([]);
});

test('a source shows why its messages were rejected, with the latest example of each reason', async () => {
  const { url, ask } = await serving(configOf({ sources: [sourceOf({ destinations: [] })] }));
  await sendBatch(url, { type: 'track', userId: 'u1' }, { type: 'track', userId: 'u2' });
  const { body } = await ask('/v1/sources/website/rejections');
  expect(body).toMatchObject([{ code: 'missing_event', count: 2 }]);
  expect(body[0].example).toMatchObject({
    raw: expect.stringContaining('"u2"'),
    reason: expect.stringContaining('event'),
  });
  expect((await ask('/v1/sources/none/rejections')).status).toBe(404);
});
