import { expect, test } from 'vitest';
import { sendBatch, track } from '../support.js';
import { servingTo } from './serving-to.js';

const PATH = '/v1/destinations/crm/waiting';
const DISCARD = '/v1/destinations/crm/discard';

/** A service whose destination is paused, with a message of u1 and one of u2 that wait. */
async function waiting() {
  const served = await servingTo([200]);
  await served.ask('/v1/destinations/crm/paused', { method: 'PUT', json: { paused: true } });
  await sendBatch(served.url, track('m1'), { ...track('m2'), userId: 'u2' });
  return served;
}

test('waiting deliveries are listed page by page, with their users and when they are due', async () => {
  const { ask, crm } = await waiting();
  const { body } = await ask(`${PATH}?limit=1`);
  expect(body.deliveries).toEqual([
    {
      id: 'm1',
      type: 'track',
      event: 'Order Completed',
      userId: 'u1',
      acceptedAt: expect.stringMatching(/Z$/),
      webhook: { url: crm.url },
      phase: 'pending',
      nextAttemptAt: expect.stringMatching(/Z$/),
      attempts: [],
    },
  ]);
  const rest = await ask(`${PATH}?after=${encodeURIComponent(body.next)}`);
  expect(rest.body).toEqual({ deliveries: [expect.objectContaining({ id: 'm2', userId: 'u2' })] });
  expect((await ask(`${PATH}?user=u2`)).body.deliveries).toHaveLength(1);
  expect((await ask(`${PATH}?after=x`)).status).toBe(400);
});

test('a discard with `state: waiting` removes the waiting deliveries of a user, and one without it only dead letters', async () => {
  const { ask } = await waiting();
  const discard = (json: object) => ask(DISCARD, { method: 'POST', json });
  expect((await discard({ user: 'u1' })).body).toMatchObject({ deliveries: 0 });
  expect((await discard({ user: 'u1', state: 'waiting' })).body).toMatchObject({ status: 'done', deliveries: 1 });
  expect((await ask(PATH)).body.deliveries).toMatchObject([{ id: 'm2' }]);
  expect((await discard({ id: 'm2', state: 'waiting' })).body).toEqual({ status: 'done', deliveries: 1 });
  expect((await ask('/v1/destinations/crm')).body).toMatchObject({ waiting: 0, counters: { discarded: 2 } });
});

test('all waiting deliveries are discarded only with `all: true`, and never with a reason', async () => {
  const { ask } = await waiting();
  const discard = (json: object) => ask(DISCARD, { method: 'POST', json });
  expect((await discard({ state: 'waiting' })).status).toBe(422);
  expect((await discard({ state: 'gone', all: true })).body.message).toBe('`state` is not one of dead, waiting');
  expect((await discard({ state: 'waiting', reason: 'permanent' })).status).toBe(422);
  const replay = await ask('/v1/destinations/crm/replay', { method: 'POST', json: { state: 'waiting', all: true } });
  expect(replay.body.message).toBe('`state` is not one of dead, delivered');
  expect((await discard({ state: 'waiting', all: true })).body).toMatchObject({ deliveries: 2 });
});
