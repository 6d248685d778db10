import { expect, test } from 'vitest';
import type { DestinationReport } from '../../../src/service/api/answer-types.js';
import { inOrder } from '../../../src/service/api/destination-list.js';
import { basic, post } from '../../collector/support.js';
import { FakeClock } from '../../support/fake-clock.js';
import { configOf, destinationOf, serving, sourceOf, track } from '../support.js';

const lastHour = { attempts: 10, successRate: 1, p50Ms: 10, p95Ms: 20, points: [] };

const report = (fields: object): DestinationReport =>
  // The rest of a report does not affect the order.
  ({ state: 'healthy', waiting: 0, deadLetters: 0, lastHour, ...fields }) as unknown as DestinationReport;

const all = [
  report({ name: 'good' }),
  report({
    ...{ name: 'slow', state: 'unsteady', deadLetters: 2 },
    lastHour: { ...lastHour, successRate: 0.5, p95Ms: 900 },
  }),
  report({ name: 'off', state: 'off', lastHour: { ...lastHour, successRate: null, p95Ms: null } }),
  report({ name: 'bad', state: 'failing', waiting: 7 }),
];

test.each([
  [undefined, false, 'good slow off bad'],
  ['state', false, 'bad slow good off'],
  ['state', true, 'off good slow bad'],
  ['name', false, 'bad good off slow'],
  ['success', false, 'slow bad good off'],
  ['p95', false, 'slow bad good off'],
  ['waiting', false, 'bad slow good off'],
  ['dead', false, 'slow bad good off'],
] as const)('destinations in the order of %s, reversed %s, are %s', (order, isReversed, names) => {
  expect(
    inOrder(all, order, isReversed)
      .map(({ name }) => name)
      .join(' '),
  ).toBe(names);
});

test('equal destinations are ordered by more dead letters, then by more waiting deliveries, then by name', () => {
  const equal = [
    { name: 'd' },
    { name: 'c' },
    { name: 'b', waiting: 3 },
    { name: 'a', waiting: 2 },
    { name: 'e', deadLetters: 1 },
  ];
  expect(inOrder(equal.map(report), 'state', false).map(({ name }) => name)).toEqual(['e', 'b', 'a', 'c', 'd']);
});

async function listing() {
  const names = ['b', 'a', 'c'];
  const { ask } = await serving(
    configOf({
      sources: [sourceOf({ name: 'shop', destinations: ['a'] })],
      destinations: names.map((name) => destinationOf(`https://${name}.example/hook`, { name, enabled: name !== 'c' })),
    }),
  );
  const list = async (query: string) => {
    const { status, body } = await ask(`/v1/destinations?${query}`);
    return status === 200 ? body.destinations.map(({ name }: { name: string }) => name).join(' ') : status;
  };
  return { ask, list };
}

test.each([
  ['', 'b a c'],
  ['sort=name', 'a b c'],
  ['sort=name&reversed=true', 'c b a'],
  ['sort=name&limit=1&after=a', 'b'],
  ['q=C.EXAMPLE', 'c'],
  ['q=sho', 'a'],
  ['q=%20b%20', 'b'],
  ['q=nothing', ''],
  ['state=off', 'c'],
  ['state=healthy&sort=name', 'a b'],
  ['state=well', 400],
  ['sort=size', 400],
  ['reversed=yes', 400],
])('the list of destinations with the query %j contains %j', async (query, names) => {
  expect(await (await listing()).list(query)).toBe(names);
});

test('the list of destinations reports how many match, with a summary of all', async () => {
  const { ask } = await listing();
  expect((await ask('/v1/destinations?q=example&state=healthy&limit=1')).body).toMatchObject({
    destinations: [{ name: 'b', state: 'healthy' }],
    found: 2,
    summary: { states: { healthy: 2, off: 1, failing: 0 }, waiting: 0, oldestWaitingAt: null, deadLetters: 0 },
  });
});

test('the summary of destinations shows since when the oldest of all deliveries has waited', async () => {
  const clock = new FakeClock();
  const names = ['a', 'b', 'c'];
  const { url, ask } = await serving(
    configOf({
      sources: names.map((name) => sourceOf({ name, writeKeys: [name], destinations: [name] })),
      destinations: names.map((name) => destinationOf('https://crm.example/hook', { name })),
    }),
    { clock },
  );
  for (const name of names) await ask(`/v1/destinations/${name}/paused`, { method: 'PUT', json: { paused: true } });
  const oldest = new Date(clock.wall()).toISOString();
  for (const writeKey of ['b', 'a', 'c']) {
    await post(url, { batch: [track('m1')] }, { authorization: basic(writeKey) });
    clock.advance(60_000);
  }
  const { summary } = (await ask('/v1/destinations')).body;
  expect(summary).toMatchObject({ waiting: 3, oldestWaitingAt: oldest });
});
