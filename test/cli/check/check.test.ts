import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { SHOP } from '../../plan/plans.js';
import { run } from '../command.js';
import { ndjson, newFile } from '../files.js';

const ordered = (properties: object) => ({ type: 'track', userId: 'u1', event: 'Order Completed', properties });
const RIGHT = ordered({ orderId: 'a', total: 1 });

const files = async (rows: readonly unknown[], plan: unknown = SHOP) => ({
  plan: await newFile('plan.json', JSON.stringify(plan)),
  events: await newFile('events.ndjson', ndjson(rows)),
});

test('check of messages that follow the plan exits with 0', async () => {
  const { plan, events } = await files([RIGHT, { type: 'page' }, RIGHT]);
  expect(await run(['check', plan, events])).toMatchObject({
    code: 0,
    out: `valid  0 of 3 rows violate ${plan}\n`,
    err: '',
  });
});

test('check prints each violation with its line, and counts them by event, path and reason', async () => {
  const { plan, events } = await files([
    RIGHT,
    ordered({ orderId: 'a', total: '1', writeKey: 'hunter2' }),
    ordered({ orderId: 'a', total: 1, items: [{ sku: 's' }, {}] }),
    ordered({ orderId: 'a', total: 1, items: [{}] }),
    { type: 'track', event: 'Order\u001b[2J' },
  ]);
  const { code, out, err } = await run(['check', plan, events]);
  expect({ code, err }).toEqual({ code: 1, err: '' });
  expect(
    out,
  ).toBe(`${events}:2  Order Completed  properties.writeKey: expected one of orderId, total, currency, items, at, gift, got an unknown property
${events}:3  Order Completed  properties.items[1].sku: expected a string, got nothing
${events}:4  Order Completed  properties.items[0].sku: expected a string, got nothing
${events}:5  Order\\u{1b}[2J  event: expected an event of the plan, got string "Order\\u001b[2J"
differs  4 of 5 rows violate ${plan}
          2  Order Completed  properties.items[].sku  required
          1  Order Completed  properties.writeKey  additionalProperties
          1  Order\\u{1b}[2J  event  unknown_event
`);
});

test('check --json prints one object for each violation, and one with the counts', async () => {
  const { plan, events } = await files([ordered({ orderId: 'a' })]);
  const { code, out } = await run(['check', plan, events, '--json']);
  expect(code).toBe(1);
  expect(
    out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([
    {
      file: events,
      line: 1,
      event: 'Order Completed',
      path: 'properties.total',
      reason: 'required',
      expected: 'a number',
      received: 'nothing',
    },
    {
      plan,
      valid: false,
      rows: 1,
      violations: 1,
      counts: [{ event: 'Order Completed', path: 'properties.total', reason: 'required', count: 1 }],
    },
  ]);
});

test('check --summary prints only the counts of violations', async () => {
  const { plan, events } = await files([ordered({}), ordered({})]);
  const { out } = await run(['check', plan, events, '--summary']);
  expect(out).toBe(
    `differs  2 of 2 rows violate ${plan}\n          2  Order Completed  properties.orderId  required\n`,
  );
});

test('check reads gzip', async () => {
  const { plan } = await files([]);
  const events = await newFile('events.ndjson.gz', gzipSync(ndjson([RIGHT, RIGHT])));
  expect(await run(['check', plan, events])).toMatchObject({ code: 0, out: expect.stringContaining('0 of 2 rows') });
});

test('check of a wrong plan prints each mistake and reads no message', async () => {
  const { plan, events } = await files([RIGHT], { events: { A: { typ: 1 }, B: { $ref: 'https://example.com/' } } });
  const { code, out, err } = await run(['check', plan, events]);
  expect({ code, out }).toEqual({ code: 3, out: '' });
  expect(
    err,
  ).toBe(`/events/A/typ: expected a keyword of JSON Schema, or a name that begins with x-, got an unknown key; did you mean type?
/events/B/$ref: expected the place of a schema in this plan, such as #/$defs/money, got string "https://example.com/"
check: 2 mistakes in ${plan} (EVENTFERRY_PLAN_INVALID)
`);
});

test.each([
  [['nowhere.json', 'a.ndjson'], 3, 'there is no file: nowhere.json (EVENTFERRY_PLAN_UNREADABLE)'],
  [['plan.json'], 2, "missing required argument 'file'; see eventferry check --help (EVENTFERRY_CLI_USAGE)"],
])('check %j is refused in one line', async (args, code, reason) => {
  expect(await run(['check', ...args])).toMatchObject({ code, out: '', err: `check: ${reason}\n` });
});
