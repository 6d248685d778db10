import { expect, test } from 'vitest';
import { startEndpoint } from '../../scheduler/test-endpoint.js';
import { FakeClock } from '../../support/fake-clock.js';
import { configOf, destinationOf, sendBatch, serving, track } from '../support.js';

/** A service with one delivered event (m1), one dead letter (m2) and one waiting event (m3). */
async function oneOfEach() {
  const crm = await startEndpoint(200, 404, 503, 200);
  const served = await serving(configOf({ destinations: [destinationOf(crm.url)] }), { clock: new FakeClock() });
  for (const [index, id] of ['m1', 'm2', 'm3'].entries()) {
    await sendBatch(served.url, track(id));
    await crm.has(index + 1);
    await expect.poll(() => served.service.destinations()[0]?.destination.counters().attempts).toBe(index + 1);
  }
  const post = async (act: string, json: object) => {
    const { status, body } = await served.ask(`/v1/deliveries/${act}`, {
      method: 'POST',
      json: { destination: 'crm', ...json },
    });
    return [status, body.code ?? body.deliveries, body.message];
  };
  return { ...served, crm, post };
}

test.each<[act: string, body: object, message: RegExp]>([
  ['replay', { id: 'm3' }, /it waits, and is sent without a replay/],
  ['replay', { id: 'm1' }, /was delivered; `"state": "delivered"` sends it again/],
  ['replay', { id: 'm3', state: 'delivered' }, /was not delivered here/],
  ['replay', { id: 'm2', endpoint: 'https://other.example/' }, /stays a dead letter/],
  ['discard', { id: 'm3' }, /it waits. `"state": "waiting"` discards it/],
  ['discard', { id: 'm1' }, /was delivered: there is nothing to discard/],
  ['discard', { id: 'm2', state: 'waiting' }, /does not wait: it is a dead letter/],
])('a %s of %j that can change nothing is answered with the reason', async (act, body, message) => {
  const { post } = await oneOfEach();
  expect(await post(act, body)).toEqual([409, 'delivery_state', expect.stringMatching(message)]);
});

test('a replay or discard of an id that does not exist is answered as not found', async () => {
  const { post } = await oneOfEach();
  for (const [act, state] of [['replay'], ['discard'], ['discard', 'waiting'], ['replay', 'delivered']])
    expect(await post(act ?? '', { id: 'm9', state })).toEqual([
      404,
      'not_found',
      expect.stringContaining('with this id here'),
    ]);
});

test('a delivered event can be sent again with the same body while it is kept', async () => {
  const { post, crm } = await oneOfEach();
  expect(await post('replay', { id: 'm1', state: 'delivered' })).toEqual([200, 1, undefined]);
  await crm.has(4);
  expect(crm.received[3]?.body).toEqual(crm.received[0]?.body);
});

test('a replay or discard refuses a state that it does not apply to', async () => {
  const { post } = await oneOfEach();
  expect((await post('discard', { id: 'm1', state: 'delivered' }))[0]).toBe(422);
  expect((await post('replay', { all: true, state: 'delivered' }))[0]).toBe(422);
  expect((await post('replay', { all: true, state: 'waiting' }))[0]).toBe(422);
});

test('an unknown field is refused with the list of known ones, and only a replay knows `sendTo`', async () => {
  const { ask } = await serving(configOf({ destinations: [destinationOf('http://127.0.0.1:9/')] }));
  const refusal = async (act: string): Promise<string> =>
    (await ask(`/v1/deliveries/${act}`, { method: 'POST', json: { all: true, bogus: 1 } })).body.message;
  expect(await refusal('replay')).toMatch(/^`bogus` is not a field of this body.* all, rate, state, sendTo$/);
  expect(await refusal('discard')).toMatch(/^`bogus` is not a field of this body.* all, rate, state$/);
});

test('dead letters are replayed and discarded, and all of them only with `all: true`', async () => {
  const crm = await startEndpoint(404, 404, 404, 200);
  const { ask, url, service } = await serving(configOf({ destinations: [destinationOf(crm.url)] }));
  await sendBatch(url, track('m1'), track('m2'), { type: 'identify', userId: 'u1', messageId: 'm3' });
  await crm.has(3);
  await service.destinations()[0]?.destination.idle();
  const act = (name: string, json: object) => ask(`/v1/deliveries/${name}`, { method: 'POST', json });
  expect((await act('replay', {})).status).toBe(422);
  expect((await act('replay', { all: false })).status).toBe(422);
  expect((await act('discard', { ids: ['m1'] })).status).toBe(422);
  expect((await act('replay', { destination: 'none', all: true })).status).toBe(404);
  const replayed = await act('replay', { destination: 'crm', id: 'm1' });
  expect(replayed.body).toEqual({ status: 'done', destination: 'crm', deliveries: 1 });
  await crm.has(4);
  expect((await act('discard', { event: 'identify' })).body).toMatchObject({ status: 'done', deliveries: 1, meant: 1 });
  expect((await act('discard', { all: true })).body).toMatchObject({ status: 'done', deliveries: 1 });
  expect((await ask('/v1/deliveries?phase=dead')).body.deliveries).toEqual([]);
});

test('a webhook is shown without the secrets in its URL, and can be found by the shown URL', async () => {
  const crm = await startEndpoint(404, 200);
  const { ask, url, service } = await serving(configOf({ destinations: [destinationOf(`${crm.url}?token=hunter2`)] }));
  await sendBatch(url, track('m1'));
  await service.destinations()[0]?.destination.idle();
  const endpoint = `${crm.url}?token=***`;
  const letters = await ask(`/v1/deliveries?phase=dead&endpoint=${encodeURIComponent(endpoint)}`);
  expect(letters.body.deliveries[0].webhook.url).toBe(endpoint);
  const answers = [letters, await ask('/v1/destinations'), await ask('/v1/deliveries/m1')];
  expect(answers[2]?.body[0].endpoints[0].url).toBe(endpoint);
  expect(JSON.stringify(answers)).not.toContain('hunter2');
  const replayed = await ask('/v1/deliveries/replay', { method: 'POST', json: { endpoint } });
  expect(replayed.body).toMatchObject({ status: 'done', deliveries: 1 });
  await crm.has(2);
  expect(crm.received[1]?.path).toBe('/hook?token=hunter2');
});
