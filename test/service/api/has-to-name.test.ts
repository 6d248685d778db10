import { expect, test } from 'vitest';
import { mistakesWith, readValue } from '../config/written.js';
import { configOf, destinationOf, serving } from '../support.js';

const HOOK = 'http://127.0.0.1:9/hook';
const NONE = { status: 422, body: { code: 'invalid_field' } };

const destinationsUpTo = (count: number) =>
  Array.from({ length: count }, (_, index) => destinationOf(HOOK, { name: `d${index}` }));

/** Each call that reaches every destination if it names none, with the field and values for all, one, and an unknown one. */
const CALLS = [
  ['POST', '/v1/deletions', { userIds: ['u1'] }, 'sources', ['website']],
  ['POST', '/v1/deletions', { userIds: ['u1'], dryRun: true }, 'sources', ['website']],
  ['POST', '/v1/deliveries/replay', { all: true }, 'destination', 'd3'],
  ['POST', '/v1/deliveries/replay', { user: 'u1' }, 'destination', 'd3'],
  ['POST', '/v1/deliveries/discard', { all: true }, 'destination', 'd3'],
  ['POST', '/v1/deliveries/discard', { event: 'Order Completed' }, 'destination', 'd3'],
] as const;

test.each(CALLS)(
  '%s %s with %j needs `%s` only if there are more than 10 destinations',
  async (method, path, json, name, one) => {
    const few = await serving(configOf({ destinations: destinationsUpTo(10) }));
    const many = await serving(configOf({ destinations: destinationsUpTo(11) }));
    expect((await few.ask(path, { method, json })).status).toBeLessThan(300);
    const { status, body } = await many.ask(path, { method, json });
    expect({ status, body }).toMatchObject(NONE);
    expect(body.message).toMatch(new RegExp(`^\`${name}\`: expected .* or "all", got (nothing|undefined)`));
    for (const { ask } of [few, many])
      for (const value of ['all', one])
        expect((await ask(path, { method, json: { ...json, [name]: value } })).status, `${value}`).toBeLessThan(300);
  },
);

test('with more than 10 destinations, `id` needs the name of a destination', async () => {
  const { ask } = await serving(configOf({ destinations: destinationsUpTo(11) }));
  const json = { id: 'm1', destination: 'all' };
  const { status, body } = await ask('/v1/deliveries/replay', { method: 'POST', json });
  expect({ status, body }).toMatchObject(NONE);
  expect(body.message).toMatch('`destination`: expected a name beside `id`');
});

test('a configuration with more than 10 destinations has to name the destinations of audiences and computed traits', () => {
  const destinations = destinationsUpTo(11).map(({ name }) => ({
    ...{ name, type: 'Webhooks', webhooks: [{ url: 'https://example.com/hook' }] },
  }));
  const sources = [{ name: 'shop', writeKeys: ['k1'] }];
  expect(mistakesWith({ destinations })).toEqual([
    "audiences.destinations: the names of the destinations that get memberships, [] for none, or 'all', got nothing, with 11 destinations",
  ]);
  const audiencesOf = (fields: object): unknown => readValue({ sources, destinations, ...fields }).audiences;
  const names = destinations.map(({ name }) => name);
  expect(audiencesOf({ audiences: { destinations: 'all' } })).toEqual({ destinations: names });
  expect(audiencesOf({ audiences: { destinations: ['d3'] } })).toEqual({ destinations: ['d3'] });
  expect(audiencesOf({ audiences: { destinations: [] } })).toEqual({ destinations: [] });
  expect(audiencesOf({ destinations: destinations.slice(1) })).toEqual({ destinations: names.slice(1) });
});
