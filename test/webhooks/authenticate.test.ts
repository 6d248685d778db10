import { expect, test } from 'vitest';
import { sampleDelivery } from '../../src/webhooks/testing/index.js';
import { secret, setUp, track } from './receiving.js';

const unsigned = sampleDelivery('track');
const foreign = sampleDelivery('track', { secret: 'another' });

test('the answers to a missing and a wrong signature are the same', async () => {
  const { receive, events } = setUp();
  const missing = await receive(unsigned);
  expect(missing.status).toBe(401);
  expect(await receive(foreign)).toEqual(missing);
  expect(events).toEqual([]);
});

test('onRefused distinguishes a missing signature from a wrong one', async () => {
  const { receive, refusals } = setUp();
  await receive(unsigned);
  await receive(foreign);
  expect(refusals.map(({ message }) => message)).toEqual([
    'No x-signature header',
    'The x-signature header does not match: the body or the secret is another one',
  ]);
});

test('the signature is checked before the body is parsed', async () => {
  expect((await setUp().receive({ ...track, body: '{' })).status).toBe(401);
});

test('an unsigned delivery is accepted with `unsigned: true`', async () => {
  const { receive, events } = setUp({ secrets: undefined, unsigned: true });
  expect((await receive(unsigned)).status).toBe(200);
  expect(events).toHaveLength(1);
});

const nowSeconds = 1_800_000_000;
const standard = sampleDelivery('track', { secret, sign: ['x-signature', 'standard'], timestampSeconds: nowSeconds });
const { 'x-signature': _, ...withoutSignature } = standard.headers;
const { 'webhook-signature': __, ...withoutStandard } = standard.headers;
const late = () => (nowSeconds + 301) * 1000;

test.each([
  [['x-signature'], 'both', standard.headers, 200],
  [['x-signature'], 'the standard ones alone', withoutSignature, 401],
  [['standard'], 'both', standard.headers, 200],
  [['standard'], 'the standard ones alone', withoutSignature, 200],
  [['standard'], 'X-Signature alone', withoutStandard, 401],
  [['x-signature', 'standard'], 'the standard ones alone', withoutSignature, 200],
  [['x-signature', 'standard'], 'X-Signature alone', withoutStandard, 200],
  [['x-signature', 'standard'], 'none', {}, 401],
] as const)(
  'with accept %j, a delivery whose signature headers are %s (%j) is answered %i',
  async (accept, _, headers, status) => {
    const { receive } = setUp({ accept, now: () => nowSeconds * 1000 });
    const answer = await receive({ ...standard, headers: { 'content-type': 'application/json', ...headers } });
    expect(answer.status).toBe(status);
  },
);

test('a replay after the tolerance is refused if only Standard Webhooks signatures are accepted', async () => {
  const { receive } = setUp({ accept: ['standard'], now: late });
  expect((await receive(standard)).status).toBe(401);
});

test('a replay is accepted by its X-Signature if both schemes are accepted', async () => {
  const { receive } = setUp({ accept: ['standard', 'x-signature'], now: late });
  expect((await receive(standard)).status).toBe(200);
});

test('Standard Webhooks headers are accepted within a longer `tolerance`', async () => {
  const { receive } = setUp({ accept: ['standard'], now: late, tolerance: 301_000 });
  expect((await receive(standard)).status).toBe(200);
});
