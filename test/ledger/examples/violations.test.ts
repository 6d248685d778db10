import { expect, test } from 'vitest';
import { Violations } from '../../../src/ledger/examples/violations.js';
import { ProcessValues } from '../../../src/ledger/process-values.js';
import type { PlanViolation } from '../../../src/plan/violation.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { FakeClock } from '../../support/fake-clock.js';

const violation = (fields: Partial<PlanViolation> = {}): PlanViolation => ({
  type: 'track',
  event: 'Order Completed',
  path: 'properties.items[3].price',
  reason: 'type',
  explain: () => ({ expected: 'a number', received: 'string "1"' }),
  ...fields,
});

const MESSAGE = { type: 'track', context: { library: { name: 'a-client', version: '1.2' } } };

function open() {
  const { keyValues } = memoryStorage();
  const values = new ProcessValues(keyValues);
  const violations = new Violations({ keyValues, clock: new FakeClock(), values });
  /** Reads the examples after everything was written. */
  const read = async (source = 'shop') => {
    await values.write();
    return (await violations.examples.of(source)).map(({ count, example: { example, ...kind } }) => ({
      ...kind,
      count,
      example,
    }));
  };
  return { violations, read };
}

test('violations are counted by event, path and reason, with the latest example', async () => {
  const { violations, read } = open();
  violations.add('shop', violation(), MESSAGE, 'reported');
  violations.add('shop', violation({ path: 'properties.items[0].price' }), MESSAGE, 'reported');
  violations.add('shop', violation(), { ...MESSAGE, writeKey: 'hunter2' }, 'reported');
  violations.add('shop', violation({ type: 'identify', event: undefined, path: 'traits.a' }), {}, 'blocked');
  const reports = await read();
  expect(reports.map(({ path, count }) => [path, count]).toSorted()).toEqual([
    ['properties.items[].price', 3],
    ['traits.a', 1],
  ]);
  expect(reports.find(({ type }) => type === 'track')).toMatchObject({
    event: 'Order Completed',
    reason: 'type',
    outcome: 'reported',
    example: {
      expected: 'a number',
      received: 'string "1"',
      raw: '{"type":"track","context":{"library":{"name":"a-client","version":"1.2"}},"writeKey":"***"}',
      client: 'a-client/1.2',
    },
  });
  expect(reports.find(({ type }) => type === 'identify')).toMatchObject({
    event: null,
    outcome: 'blocked',
    example: { client: '' },
  });
});

test.each([
  [{ name: 'a-client', version: '1.2' }, 'a-client/1.2'],
  [{ name: 'a-client' }, 'a-client'],
  [{ name: 5, version: '1.2' }, ''],
  [{ name: 'x'.repeat(200) }, 'x'.repeat(100)],
])('a message with the library %j has the client %j', async (library, client) => {
  const { violations, read } = open();
  violations.add('shop', violation(), { context: { library } }, 'reported');
  expect(await read()).toMatchObject([{ example: { client } }]);
});

test('a source that sends arbitrary names has 100 kinds of violations, and the rest are counted together', async () => {
  const { violations, read } = open();
  for (let index = 0; index < 1_000; index++)
    violations.add('shop', violation({ event: `Event ${index}` }), MESSAGE, 'reported');
  const reports = await read();
  expect(reports).toHaveLength(101);
  expect(reports.find(({ event }) => event === '(other)')).toMatchObject({ path: '(other)', count: 900 });
});

test('long names, paths and messages are shortened', async () => {
  const { violations, read } = open();
  const long = 'x'.repeat(60_000);
  violations.add('shop', violation({ event: long, path: long }), { long }, 'reported');
  const [report] = await read();
  expect([report?.event?.length, report?.path.length, report?.example.raw.length]).toEqual([80, 200, 2_049]);
});

test('the totals count since the start, by source, reason and outcome', () => {
  const { violations } = open();
  violations.add('shop', violation(), MESSAGE, 'reported');
  violations.add('shop', violation({ event: 'Another' }), MESSAGE, 'reported');
  violations.add('shop', violation(), MESSAGE, 'blocked');
  violations.add('app', violation({ reason: 'required' }), MESSAGE, 'reported');
  expect([...violations.totals.values()]).toEqual([
    { source: 'shop', reason: 'type', outcome: 'reported', count: 2 },
    { source: 'shop', reason: 'type', outcome: 'blocked', count: 1 },
    { source: 'app', reason: 'required', outcome: 'reported', count: 1 },
  ]);
});
