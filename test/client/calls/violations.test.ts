import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import { type Catalogue, defineEvents } from '../../../src/events/index.js';
import { Analytics, type AnalyticsEvents, type AnalyticsOptions, ViolationError } from '../../../src/index.js';
import { client } from '../../support/client.js';
import { sink } from '../../support/sink.js';

/** The wide type lets wrong calls compile. */
const events: Catalogue = defineEvents({ 'Order Completed': z.object({ total: z.number() }), 'Signed Out': {} });

const right = { userId: 'u', event: 'Order Completed', properties: { total: 42 } };
const wrong = { userId: 'u', event: 'Order Completed', properties: { total: '42' } };
const unknown = { userId: 'u', event: 'Order Complete' };

let warnings: { text: string; code: string }[];

beforeEach(() => {
  warnings = [];
  const emit = vi.spyOn(process, 'emitWarning').mockImplementation(((text: string, { code }: { code: string }) => {
    warnings.push({ text, code });
  }) as typeof process.emitWarning);
  onTestFinished(() => emit.mockRestore());
});

/** A client with a catalogue, and the violations that it reports. */
async function withCatalogue(options: Partial<AnalyticsOptions> = {}) {
  const { url, messages } = await sink();
  const { analytics, lost } = client({ endpoint: url, flushAt: 1, events, ...options });
  const violations: AnalyticsEvents['violation'][] = [];
  analytics.on('violation', (event) => violations.push(event));
  return { analytics, messages, lost, violations };
}

test('a message that breaks the catalogue is sent and reported by default', async () => {
  const { analytics, messages, violations } = await withCatalogue();
  await Promise.all([analytics.track(wrong), analytics.track(right), analytics.track(unknown)].map((r) => r.delivered));
  expect(messages).toMatchObject([wrong, right, unknown]);
  expect(violations.map(({ message, error }) => [message.messageId, error.code, error.path])).toEqual([
    [messages[0]?.messageId, 'EVENTFERRY_VIOLATION', 'track.properties.total'],
    [messages[2]?.messageId, 'EVENTFERRY_UNKNOWN_EVENT', 'track.event'],
  ]);
  expect(violations[0]?.error).toBeInstanceOf(ViolationError);
  expect(violations[0]?.error.issues).toMatchObject([{ path: 'track.properties.total' }]);
  expect(analytics.stats()).toMatchObject({ accepted: 3, delivered: 3, lost: 0, pending: 0 });
});

test('with `throw`, a call that breaks the catalogue throws and nothing is accepted', async () => {
  const { analytics, violations } = await withCatalogue({ onViolation: 'throw' });
  expect(() => analytics.track(wrong)).toThrow(
    expect.objectContaining({
      name: 'ViolationError',
      code: 'EVENTFERRY_VIOLATION',
      event: 'Order Completed',
      path: 'track.properties.total',
      message: expect.stringMatching(/^track\.properties\.total of "Order Completed": .*expected number/),
    }),
  );
  expect(() => analytics.child({ userId: 'u' }).track(unknown)).toThrow(/Did you mean "Order Completed"\?/);
  expect(violations).toEqual([]);
  expect(analytics.stats()).toMatchObject({ accepted: 0, lost: 0, pending: 0 });
});

test('with `drop`, a message that breaks the catalogue is lost with the reason, counted and reported', async () => {
  const { analytics, messages, lost, violations } = await withCatalogue({ onViolation: 'drop' });
  const [dropped, kept] = [analytics.track(wrong), analytics.track(right)];
  await expect(dropped.delivered).rejects.toMatchObject({ code: 'EVENTFERRY_VIOLATION' });
  await kept.delivered;
  expect(messages).toMatchObject([right]);
  expect(lost).toEqual([{ message: expect.objectContaining(wrong), error: violations[0]?.error }]);
  expect(violations).toHaveLength(1);
  expect(analytics.stats()).toMatchObject({
    accepted: 2,
    delivered: 1,
    lost: 1,
    pending: 0,
    lostByCode: { EVENTFERRY_VIOLATION: 1 },
  });
});

test('a row of an import that breaks the catalogue is invalid with `throw`, and lost with `drop`', async () => {
  const rows = [right, wrong].map((row) => ({ ...row, type: 'track' as const, timestamp: new Date(0) }));
  const { analytics: throwing } = await withCatalogue({ onViolation: 'throw' });
  expect(await throwing.import(rows)).toMatchObject({
    delivered: 1,
    invalidRows: 1,
    invalid: [{ index: 1, error: { code: 'EVENTFERRY_VIOLATION' } }],
  });
  const { analytics: dropping } = await withCatalogue({ onViolation: 'drop' });
  expect(await dropping.import(rows)).toMatchObject({ delivered: 1, lost: 1, resumeAt: 2 });
});

test('the catalogue checks the message of the call, before a `before` function changes it', async () => {
  const { analytics, messages, violations } = await withCatalogue({
    before: (message) => ({ ...message, type: 'track', event: 'Renamed' }),
  });
  await analytics.track(right).delivered;
  expect(messages).toMatchObject([{ event: 'Renamed' }]);
  expect(violations).toEqual([]);
});

test('a client that is not enabled also checks the catalogue, and sends nothing', async () => {
  const { analytics, violations } = await withCatalogue({ enabled: false });
  expect(analytics.track(wrong).filtered).toBe(true);
  expect(violations).toHaveLength(1);
});

test('the client sends the properties of the call, not the output of the schema', async () => {
  const coercing = defineEvents({
    Paid: z.object({ total: z.coerce.number().default(1), more: z.string().transform(() => 'changed') }),
  });
  const { analytics, messages } = await withCatalogue({ events: coercing, onViolation: 'throw' });
  const properties = { total: '42', more: 'x', other: true };
  await analytics.track({ userId: 'u', event: 'Paid', properties }).delivered;
  expect(messages).toMatchObject([{ properties }]);
});

test('properties that are null count as missing', async () => {
  const { analytics, messages } = await withCatalogue({ onViolation: 'throw' });
  await analytics.track({ userId: 'u', event: 'Signed Out', properties: null }).delivered;
  expect(messages).toMatchObject([{ event: 'Signed Out' }]);
  expect(() => analytics.track({ userId: 'u', event: 'Order Completed', properties: null })).toThrow(ViolationError);
});

test('the properties of a page are checked under either of their names', async () => {
  const pages = defineEvents({}, { page: z.object({ title: z.string() }) });
  const { analytics } = await withCatalogue({ events: pages, onViolation: 'throw' });
  expect(() => analytics.page({ userId: 'u', traits: { plan: 'pro' } })).toThrow(/^page\.properties\.title: /);
});

test('a violation without a listener or logger causes a process warning, once for each code', async () => {
  const { url } = await sink();
  const analytics = new Analytics({ writeKey: 'key', endpoint: url, events });
  for (const message of [wrong, wrong, unknown, unknown]) analytics.track(message);
  await analytics.close();
  expect(warnings.map(({ code }) => code)).toEqual(['EVENTFERRY_VIOLATION', 'EVENTFERRY_UNKNOWN_EVENT']);
  expect(warnings[0]?.text).toMatch(
    /^eventferry: track\.properties\.total of "Order Completed": .* \(EVENTFERRY_VIOLATION\); listen to `violation` or give a `logger` to hear of each$/,
  );
});

test('a violation that a logger reports as a warning causes no process warning', async () => {
  const lines: string[] = [];
  const logger = {
    debug: () => {},
    warn: (line: string) => lines.push(line),
    error: (line: string) => lines.push(line),
  };
  const { url } = await sink();
  const analytics = new Analytics({ writeKey: 'key', endpoint: url, events, logger });
  analytics.track(unknown);
  await analytics.close();
  expect(lines).toEqual([expect.stringMatching(/^eventferry: track\.event: .*\(EVENTFERRY_UNKNOWN_EVENT\)$/)]);
  expect(warnings).toEqual([]);
});

test('a dropped message without a listener or logger causes only a warning about the loss', async () => {
  const { url } = await sink();
  const analytics = new Analytics({ writeKey: 'key', endpoint: url, events, onViolation: 'drop' });
  analytics.track(wrong);
  await analytics.close();
  await expect.poll(() => warnings).not.toEqual([]);
  expect(warnings).toEqual([{ code: 'EVENTFERRY_VIOLATION', text: expect.stringMatching(/lost 1 message: .*`lost`/) }]);
});

test('a violation listener that tracks an unknown event does not recurse without end, and the message is sent', async () => {
  const { analytics, messages } = await withCatalogue();
  analytics.on('violation', () => analytics.track({ userId: 'u', event: 'Catalogue Broken' }));
  await analytics.track(wrong).delivered;
  expect(messages.length).toBeLessThan(10);
  expect(messages).toContainEqual(expect.objectContaining(wrong));
  analytics.track(right);
});

test('a violation listener that throws does no harm', async () => {
  const { analytics, messages } = await withCatalogue();
  analytics.on('violation', () => {
    throw new Error('no');
  });
  await analytics.track(wrong).delivered;
  expect(messages).toHaveLength(1);
});

test.each([
  [{ events: { 'Order Completed': z.object({}) } }, /`events` to be what `defineEvents` returns, got an object/],
  [{ events: null }, /`events` to be what `defineEvents` returns, got null/],
  [{ events, onViolation: 'ignore' }, /`onViolation` to be 'report' or 'drop' or 'throw', got string "ignore"/],
])('the options %j of a catalogue are refused', (options, message) => {
  const given = { writeKey: 'key', endpoint: 'http://127.0.0.1:1', ...options };
  expect(() => new Analytics(given as never)).toThrow(
    expect.objectContaining({ code: 'EVENTFERRY_INVALID_OPTION', message: expect.stringMatching(message) }),
  );
});
