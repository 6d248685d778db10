import { expect, test } from 'vitest';
import { startEndpoint } from '../../scheduler/test-endpoint.js';
import { configOf, destinationOf, sendBatch, serving, track } from '../support.js';

const gone = async () => {
  const crm = await startEndpoint(404, 404, 404, 200);
  const serving_ = await serving(configOf({ destinations: [destinationOf(crm.url)] }));
  await sendBatch(serving_.url, track('m1'), track('m2'), { type: 'identify', userId: 'u1', messageId: 'm3' });
  await crm.has(3);
  await serving_.service.destinations()[0]?.destination.idle();
  return { ...serving_, crm };
};

test('a route lists dead letters page by page, by webhook and by type, and counts them', async () => {
  const { ask, crm } = await gone();
  const path = '/v1/destinations/crm/dead-letters';
  const { body } = await ask(`${path}?limit=2`);
  expect(body.letters).toHaveLength(2);
  expect(body.letters[0]).toEqual({
    id: expect.any(String),
    type: 'track',
    event: 'Order Completed',
    userId: 'u1',
    acceptedAt: expect.stringMatching(/Z$/),
    endpoints: [
      {
        url: crm.url,
        reason: 'permanent',
        diedAt: expect.stringMatching(/Z$/),
        attempts: [
          { at: expect.stringMatching(/Z$/), durationMs: expect.any(Number), result: 'rejected', status: 404 },
        ],
      },
    ],
  });
  const rest = await ask(`${path}?limit=2&after=${body.next}`);
  const ids = [...body.letters, ...rest.body.letters].map(({ id }: { id: string }) => id);
  expect(ids.sort()).toEqual(['m1', 'm2', 'm3']);
  expect(rest.body).not.toHaveProperty('next');
  expect((await ask(`${path}?type=identify`)).body.letters).toHaveLength(1);
  expect((await ask(`${path}?endpoint=http://another.example`)).body.letters).toEqual([]);
  expect((await ask(`${path}/count?type=track`)).body).toEqual({ deliveries: 2 });
  for (const query of ['limit=0', 'type=delivery', 'after=x']) expect((await ask(`${path}?${query}`)).status).toBe(400);
});

test('dead letters are replayed and discarded, all of them only when that is said', async () => {
  const { ask, crm } = await gone();
  const act = (name: string, json: object) => ask(`/v1/destinations/crm/${name}`, { method: 'POST', json });
  expect((await act('replay', {})).status).toBe(422);
  expect((await act('replay', { all: false })).status).toBe(422);
  expect((await act('discard', { ids: ['m1'] })).status).toBe(422);
  expect((await act('replay', { id: 'm1' })).body).toEqual({ status: 'done', deliveries: 1 });
  await crm.has(4);
  expect((await act('discard', { type: 'identify' })).body).toMatchObject({ status: 'done', deliveries: 1, meant: 1 });
  expect((await act('discard', { all: true })).body).toMatchObject({ status: 'done', deliveries: 1 });
  expect((await ask('/v1/destinations/crm/dead-letters')).body).toEqual({ letters: [] });
  expect((await ask('/v1/destinations/none/replay', { method: 'POST', json: { all: true } })).status).toBe(404);
});

test('a webhook is shown without what is secret in its URL, and found by what is shown', async () => {
  const crm = await startEndpoint(404, 200);
  const { ask, url, service } = await serving(configOf({ destinations: [destinationOf(`${crm.url}?token=hunter2`)] }));
  await sendBatch(url, track('m1'));
  await service.destinations()[0]?.destination.idle();
  const endpoint = `${crm.url}?token=***`;
  const letters = await ask(`/v1/destinations/crm/dead-letters?endpoint=${encodeURIComponent(endpoint)}`);
  expect(letters.body.letters[0].endpoints[0].url).toBe(endpoint);
  const answers = [letters, await ask('/v1/destinations'), await ask('/v1/deliveries/m1')];
  expect(answers[2]?.body[0].endpoints[0].url).toBe(endpoint);
  expect(JSON.stringify(answers)).not.toContain('hunter2');
  const replayed = await ask('/v1/destinations/crm/replay', { method: 'POST', json: { endpoint } });
  expect(replayed.body).toMatchObject({ status: 'done', deliveries: 1 });
  await crm.has(2);
  expect(crm.received[1]?.path).toBe('/hook?token=hunter2');
});

test('a message is explained at each destination that knows it', async () => {
  const { ask, crm } = await gone();
  const { body } = await ask('/v1/deliveries/m1');
  expect(body).toMatchObject([
    { destination: 'crm', id: 'm1', type: 'track', acceptedAt: expect.stringMatching(/Z$/) },
  ]);
  expect(body[0].endpoints[0]).toMatchObject({ url: crm.url, phase: 'dead', nextAttemptAt: null });
  expect((await ask('/v1/deliveries/none')).status).toBe(404);
});
