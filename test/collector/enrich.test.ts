import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type BatchLevel, correct, enrich, originalMsOf, readSent } from '../../src/collector/enrich.js';
import { canonicalize } from '../../src/protocol/canonical.js';
import type { JsonObject } from '../../src/protocol/plain.js';

type Given = Partial<BatchLevel> & { sentAt?: unknown };

const received = ({ sentAt, ...batch }: Given = {}): BatchLevel => ({
  context: undefined,
  integrations: undefined,
  sent: readSent(sentAt),
  receivedMs: Date.parse('2026-11-20T12:00:10.000Z'),
  receivedAt: '2026-11-20T12:00:10.000Z',
  newId: () => 'new',
  ...batch,
});

const completed = (given: JsonObject, batch?: Given) => {
  const message = { messageId: 'm', ...given };
  // In the collector, `validateMessage` has done this before.
  canonicalize(message);
  return enrich(message, received(batch), originalMsOf(message));
};

const timestamp = '2026-11-20T11:00:00Z';

test("the time of a message is corrected by the error that the client's clock had when it sent", () => {
  expect(completed({ timestamp }, { sentAt: '2026-11-20T12:00:00+00:00' })).toEqual({
    messageId: 'm',
    timestamp: '2026-11-20T11:00:10.000Z',
    originalTimestamp: '2026-11-20T11:00:00.000Z',
    sentAt: '2026-11-20T12:00:00.000Z',
    receivedAt: '2026-11-20T12:00:10.000Z',
  });
});

test('a message without a time gets the time of the collector', () => {
  expect(completed({ timestamp: null })).toEqual({
    messageId: 'm',
    timestamp: '2026-11-20T12:00:10.000Z',
    receivedAt: '2026-11-20T12:00:10.000Z',
  });
});

test('the time of a message is kept if the client sent no sentAt', () => {
  expect(completed({ timestamp })).toMatchObject({
    timestamp: '2026-11-20T11:00:00.000Z',
    originalTimestamp: '2026-11-20T11:00:00.000Z',
  });
});

test('the time of a message is kept if its sentAt is not a time', () => {
  expect(completed({ timestamp }, { sentAt: 'now' })).toMatchObject({ timestamp: '2026-11-20T11:00:00.000Z' });
});

test('the time of a message is corrected by its own sentAt if the batch has none', () => {
  expect(completed({ timestamp, sentAt: '2026-11-20T12:00:00Z' })).toMatchObject({
    timestamp: '2026-11-20T11:00:10.000Z',
  });
});

test('the sentAt of the batch takes precedence over that of the message', () => {
  expect(completed({ timestamp, sentAt: '2026-11-20T09:00:00Z' }, { sentAt: '2026-11-20T12:00:00Z' })).toMatchObject({
    timestamp: '2026-11-20T11:00:10.000Z',
    sentAt: '2026-11-20T12:00:00.000Z',
  });
});

test('the time of a message is read from originalTimestamp if there is no timestamp', () => {
  expect(completed({ originalTimestamp: timestamp })).toMatchObject({ timestamp: '2026-11-20T11:00:00.000Z' });
});

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;
const receivedMs = Date.parse('2026-11-20T12:00:10.000Z');

test('a time that a client with a wrong clock has stamped keeps its distance to the time of sending', () => {
  const skew = fc.integer({ min: 5 * SECOND + 1, max: 30 * DAY });
  const age = fc.integer({ min: 0, max: DAY });
  fc.assert(
    fc.property(skew, fc.boolean(), age, (size, isSlow, ageMs) => {
      const sentMs = receivedMs - (isSlow ? size : -size);
      expect(correct(sentMs - ageMs, sentMs, receivedMs)).toBe(receivedMs - ageMs);
    }),
  );
});

test('an explicit time of a year ago is kept, whatever the skew and the latency', () => {
  const skew = fc.oneof(fc.integer({ min: -2 * DAY, max: 2 * DAY }), fc.integer({ min: -800 * DAY, max: 800 * DAY }));
  const latency = fc.integer({ min: 0, max: 10 * HOUR });
  const age = fc.integer({ min: 365 * DAY, max: 730 * DAY });
  fc.assert(
    fc.property(skew, latency, age, (skewMs, latencyMs, ageMs) => {
      const originalMs = receivedMs - ageMs;
      expect(correct(originalMs, receivedMs - latencyMs - skewMs, receivedMs)).toBe(originalMs);
    }),
  );
});

test('no time is moved if the request took up to five seconds', () => {
  const latency = fc.integer({ min: -5 * SECOND, max: 5 * SECOND });
  fc.assert(
    fc.property(latency, fc.integer({ min: 0, max: 4e12 }), (latencyMs, originalMs) => {
      expect(correct(originalMs, receivedMs - latencyMs, receivedMs)).toBe(originalMs);
    }),
  );
});

test.each<[string, string, string, string]>([
  ['a row of the past, sent with some latency', '2019-12-31T23:59:59.999Z', '2026-11-20T12:00:09.992Z', 'stays'],
  [
    'a row of the past with a clock that is two hours fast',
    '2019-01-01T12:00:00.000Z',
    '2026-11-20T14:00:10Z',
    'stays',
  ],
  [
    'a time within the day before sending, with a clock two hours fast',
    '2026-11-20T13:00:00.000Z',
    '2026-11-20T14:00:10Z',
    '2026-11-20T11:00:00.000Z',
  ],
  ['a time slightly more than a day before sending', '2026-11-19T14:00:09.999Z', '2026-11-20T14:00:10Z', 'stays'],
  ['a time after the time of sending', '2026-11-20T14:00:10.001Z', '2026-11-20T14:00:10Z', 'stays'],
  [
    'a time stamped just before a sentAt that is years wrong',
    '1970-01-01T00:00:01.000Z',
    '1970-01-01T00:00:02Z',
    'stays',
  ],
  [
    'a time stamped just before a sentAt that is years ahead',
    '2031-01-01T00:00:01.000Z',
    '2031-01-01T00:00:02Z',
    'stays',
  ],
])('the corrected time of a message: %s', (_, given, sentAt, expected) => {
  expect(completed({ timestamp: given }, { sentAt })).toMatchObject({
    timestamp: expected === 'stays' ? given : expected,
    originalTimestamp: given,
    sentAt: readSent(sentAt).at,
  });
});

test('the context and integrations of a batch complete those of the message, key by key', () => {
  const message = completed(
    { context: { ip: '1', page: { url: 'a' } }, integrations: { All: false } },
    { context: { ip: '2', page: { title: 'b' }, locale: 'de' }, integrations: { All: true, Webhooks: true } },
  );
  expect(message.context).toEqual({ ip: '1', page: { url: 'a' }, locale: 'de' });
  expect(message.integrations).toEqual({ All: false, Webhooks: true });
});

test.each([undefined, null, []])('the context of a batch is used if the message has %j', (context) => {
  expect(completed({ context }, { context: { ip: '2' } }).context).toEqual({ ip: '2' });
});

test('each message gets its own copy of the context and integrations of its batch', () => {
  const context = { ip: '2' };
  expect(completed({}, { context }).context).not.toBe(context);
});

test('a context with __proto__ and constructor does not change any prototype', () => {
  const context = JSON.parse('{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}');
  for (const own of ['{}', '{"context":{"ip":"1"}}', '{"context":{"__proto__":{"isRoot":true}}}']) {
    const message = completed(JSON.parse(own), { context });
    expect(Object.keys(message.context ?? {})).toEqual(expect.arrayContaining(['__proto__', 'constructor']));
    expect(Object.getPrototypeOf(message.context)).toBe(Object.prototype);
  }
  expect(Reflect.get({}, 'isAdmin')).toBeUndefined();
});

test.each<[string, JsonObject, JsonObject]>([
  ['numeric ids become text', { userId: 42, anonymousId: -7 }, { userId: '42', anonymousId: '-7' }],
  ['a numeric category becomes text', { type: 'page', category: 5 }, { category: '5' }],
  ['empty lists become empty objects', { properties: [], integrations: [] }, { properties: {}, integrations: {} }],
  ['null stays null', { userId: null, traits: null }, { userId: null, traits: null }],
  ['times in milliseconds become ISO 8601', { timestamp: 0 }, { originalTimestamp: '1970-01-01T00:00:00.000Z' }],
  ['fields of another message type are unchanged', { type: 'track', category: 5 }, { category: 5 }],
])('in the canonical form %s', (_, given, expected) => {
  expect(completed({ type: 'track', event: 'e', ...given })).toMatchObject(expected);
});

test('a sentAt that is not a time is removed, and one that is null stays null', () => {
  const message = { type: 'track', timestamp: 0 };
  expect(completed({ ...message, sentAt: 'now' })).not.toHaveProperty('sentAt');
  expect(completed({ ...message, sentAt: 'now' }, { sentAt: 'soon' })).not.toHaveProperty('sentAt');
  expect(completed({ ...message, sentAt: null })).toHaveProperty('sentAt', null);
});

test('a message without an id gets a new one', () => {
  expect(completed({ messageId: null }).messageId).toBe('new');
});

test('fields that the protocol does not name are kept unchanged', () => {
  expect(completed({ channel: 'server', nested: { a: [1, null] } })).toMatchObject({
    channel: 'server',
    nested: { a: [1, null] },
  });
});
