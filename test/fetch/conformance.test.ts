import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { nodePlatform } from '../../src/client/platform.js';
import type { Analytics as WebAnalytics } from '../../src/fetch/index.js';
import { Analytics, type AnalyticsEvents, type AnalyticsOptions, type ConnectionError } from '../../src/index.js';
import { ok, sink, status } from '../support/sink.js';
import { loadWebClient } from '../support/web-client.js';

const web = await loadWebClient();

/** Both entry points must behave the same. */
const doors = [
  ['eventferry', Analytics],
  ['eventferry/fetch', web.Analytics],
] as const;

function open(
  Client: typeof Analytics | typeof WebAnalytics,
  options: Partial<AnalyticsOptions> & { endpoint: string },
) {
  // No pause is longer than the collector orders.
  const analytics = new (Client as typeof Analytics)(
    { writeKey: 'schlüssel', ...options },
    { ...nodePlatform, random: () => 0 },
  );
  const lost: AnalyticsEvents['lost'][] = [];
  analytics.on('lost', (event) => lost.push(event));
  onTestFinished(async () => void (await analytics.close({ timeout: 0 })));
  return { analytics, lost };
}

const track = (event = 'Order Completed') => ({ userId: 'u1', event });

/** Removes the examples of calls, which are left out of the client for the web because of their size. */
const withoutHelp = (text: string): string => text.replace(/one object, such as \w+\(\{.*\}\), got/, 'an object, got');

/** Returns the text of an error without the ids of this run. */
function errorOf(act: () => unknown): string {
  try {
    act();
    return 'none';
  } catch (error) {
    return `${(error as { code?: string }).code}: ${(error as Error).message.replaceAll(/[\da-f-]{36}/g, 'ID')}`;
  }
}

describe.each(doors)('%s', (_, Client) => {
  test('a call that is reported shows its argument, and its kind gets one line in the log per minute', async () => {
    const lines: [string, object][] = [];
    const logger = {
      debug() {},
      warn() {},
      error: (text: string, details: object) => void lines.push([text, details]),
    };
    const { analytics, lost } = open(Client, { endpoint: 'http://collector.test', onInvalid: 'report', logger });
    for (let call = 0; call < 5; call++) {
      analytics.track({ userId: 42, event: `Bought ${call}` } as never).delivered.catch(() => {});
    }
    await expect.poll(() => lost).toHaveLength(5);
    expect(lost[0]?.input).toBe('{ userId: 42, event: "Bought 0" }');
    expect(lines.map(([text]) => text)).toEqual([expect.stringContaining('lost 1 message: ')]);
    await analytics.close();
    expect(lines.map(([text]) => text).slice(1)).toEqual([expect.stringContaining('lost 4 more messages: ')]);
  });

  test('the client delivers messages of all six calls, complete and in order', async () => {
    const collector = await sink();
    const { analytics } = open(Client, { endpoint: collector.url, context: { app: { name: 'Käse' } } });
    const receipts = [
      analytics.identify({ userId: 'u1', traits: { plan: 'pro' } }),
      analytics.track({ userId: 'u1', event: 'Größe 🌍', timestamp: new Date(0) }),
      analytics.page({ userId: 'u1', name: 'Pricing' }),
      analytics.screen({ userId: 'u1', name: 'Checkout' }),
      analytics.group({ userId: 'u1', groupId: 'g1' }),
      analytics.alias({ userId: 'u1', previousId: 'a1' }),
    ];
    await Promise.all([analytics.flush(), ...receipts.map(({ delivered }) => delivered)]);
    expect(collector.messages).toMatchObject([
      { type: 'identify', traits: { plan: 'pro' } },
      { type: 'track', event: 'Größe 🌍', timestamp: '1970-01-01T00:00:00.000Z' },
      { type: 'page', name: 'Pricing' },
      { type: 'screen', name: 'Checkout' },
      { type: 'group', groupId: 'g1' },
      { type: 'alias', previousId: 'a1' },
    ]);
    expect(collector.messages.map(({ messageId }) => messageId)).toEqual(receipts.map(({ messageId }) => messageId));
    for (const { context } of collector.messages) expect(context).toEqual({ app: { name: 'Käse' } });
    const [request] = collector.requests;
    expect(request?.path).toBe('/v1/batch');
    expect(request?.headers.get('authorization')).toBe(`Basic ${Buffer.from('schlüssel:').toString('base64')}`);
    expect(request?.headers.get('content-type')).toBe('application/json');
    expect(await analytics.close()).toMatchObject({ accepted: 6, delivered: 6, lost: 0, pending: 0, requests: 1 });
  });

  test('the client sends the same batch again until it is accepted, and counts the retries', async () => {
    const collector = await sink(503, () => status(429, { 'Retry-After': '0' }), 500);
    const { analytics } = open(Client, { endpoint: collector.url });
    analytics.track(track());
    await analytics.flush();
    expect(collector.requests.map(({ headers }) => headers.get('x-retry-count'))).toEqual([null, '1', '2', '3']);
    expect(collector.messages).toHaveLength(1);
    expect(analytics.stats()).toMatchObject({ delivered: 1, requests: 4, retries: 3 });
  });

  test('the client loses only the one message that is refused, and delivers the others', async () => {
    const refuse = ({ batch }: { batch: readonly object[] }) =>
      batch.some((message) => 'event' in message && message.event === 'Poison') ? status(400) : ok();
    const collector = await sink(...Array.from({ length: 20 }, () => refuse));
    const { analytics, lost } = open(Client, { endpoint: collector.url });
    for (const event of ['A', 'B', 'Poison', 'C']) analytics.track(track(event));
    await analytics.flush();
    expect(collector.messages.map((message) => 'event' in message && message.event).sort()).toEqual(['A', 'B', 'C']);
    expect(lost).toMatchObject([{ message: { event: 'Poison' }, error: { code: 'EVENTFERRY_REJECTED', status: 400 } }]);
  });

  test('the client loses the messages that the collector names, with its reasons', async () => {
    const rejected = [{ index: 1, code: 'too_old', message: 'from another age' }];
    const collector = await sink(() => Response.json({ success: true, rejected }));
    const { analytics, lost } = open(Client, { endpoint: collector.url });
    for (const event of ['A', 'B', 'C']) analytics.track(track(event));
    await analytics.flush();
    expect(lost).toMatchObject([{ message: { event: 'B' }, error: { answer: 'too_old: from another age' } }]);
    expect(analytics.stats()).toMatchObject({ delivered: 2, lost: 1 });
  });

  test('the client does not follow a redirect, and advises checking the endpoint', async () => {
    const collector = await sink(() => status(308, { location: 'http://elsewhere.test/' }));
    const { analytics, lost } = open(Client, { endpoint: collector.url });
    analytics.track(track());
    await analytics.flush();
    expect(lost[0]?.error).toMatchObject({
      status: 308,
      message: expect.stringContaining('redirects to http://elsewhere'),
    });
  });

  test('the client compresses bodies if `gzip` is set', async () => {
    const collector = await sink();
    const { analytics } = open(Client, { endpoint: collector.url, gzip: true });
    for (let index = 0; index < 100; index++) analytics.track(track());
    await analytics.flush();
    expect(collector.messages).toHaveLength(100);
    expect(collector.requests[0]?.headers.get('content-encoding')).toBe('gzip');
  });

  test('the client splits messages that are too large for one request, and never exceeds the limit', async () => {
    const collector = await sink();
    const { analytics } = open(Client, { endpoint: collector.url, maxBatchBytes: 33_000 });
    for (let index = 0; index < 30; index++) analytics.track({ ...track(), properties: { text: 'ü'.repeat(1_500) } });
    await analytics.flush();
    expect(collector.messages).toHaveLength(30);
    for (const { bytes } of collector.requests) expect(bytes).toBeLessThanOrEqual(33_000);
    expect(analytics.stats().bytes).toBe(collector.requests.reduce((sum, { bytes }) => sum + bytes, 0));
  });

  test('the client aborts a request that takes too long and sends it again', async () => {
    const collector = await sink(() => new Promise(() => {}));
    const { analytics } = open(Client, { endpoint: collector.url, requestTimeout: 50 });
    const retries: AnalyticsEvents['retry'][] = [];
    analytics.on('retry', (retry) => retries.push(retry));
    analytics.track(track());
    await analytics.flush();
    // On a slow machine, an immediate response may also take too long.
    expect(new Set(retries.map(({ error }) => (error as ConnectionError).causeCode))).toEqual(
      new Set(['REQUEST_TIMEOUT']),
    );
    expect(new Set(collector.messages.map(({ messageId }) => messageId)).size).toBe(1);
    expect(analytics.stats().delivered).toBe(1);
  });

  test('close() aborts running requests when its time is up', async () => {
    const collector = await sink(() => new Promise(() => {}));
    const { analytics, lost } = open(Client, { endpoint: collector.url });
    const { delivered } = analytics.track(track());
    delivered.catch(() => {});
    expect(await analytics.close({ timeout: 20 })).toMatchObject({ delivered: 0, lost: 1, pending: 0 });
    expect(lost[0]?.error.code).toBe('EVENTFERRY_ABORTED');
    await expect(delivered).rejects.toMatchObject({ code: 'EVENTFERRY_ABORTED' });
    expect(() => analytics.track(track())).toThrow('The client is closed');
  });

  test('the client refuses messages that do not fit in the queue, and delivers the others', async () => {
    const collector = await sink();
    const { analytics, lost } = open(Client, { endpoint: collector.url, maxQueueBytes: 66_000, flushAt: 1_000 });
    for (let index = 0; index < 10; index++) analytics.track({ ...track(), properties: { text: 'x'.repeat(10_000) } });
    await analytics.flush();
    expect(collector.messages).toHaveLength(6);
    expect(lost.map(({ error }) => error.code)).toEqual(Array(4).fill('EVENTFERRY_QUEUE_FULL'));
  });

  test('import() sends every row and returns a report', async () => {
    const collector = await sink();
    const { analytics } = open(Client, { endpoint: collector.url });
    const rows = Array.from(
      { length: 3_000 },
      (_, index) => ({ type: 'track', ...track(), timestamp: index }) as const,
    );
    const report = await analytics.import([...rows, { type: 'nonsense' } as never]);
    expect(report).toMatchObject({ delivered: 3_000, invalidRows: 1 });
    expect(collector.messages).toHaveLength(3_000);
  });

  test('run() fills in fields for every call inside it if the runtime has an AsyncLocalStorage', async () => {
    vi.stubGlobal('AsyncLocalStorage', AsyncLocalStorage);
    onTestFinished(() => void vi.unstubAllGlobals());
    const collector = await sink();
    const { analytics } = open(Client, { endpoint: collector.url });
    await analytics.run({ userId: 'u9' }, async () => {
      await null;
      analytics.current.track({ event: 'Inside' });
    });
    await analytics.flush();
    expect(collector.messages).toMatchObject([{ userId: 'u9', event: 'Inside' }]);
  });
});

const cyclic: Record<string, unknown> = {};
cyclic['self'] = cyclic;

/** Values that a caller may pass and that JSON treats specially. */
const properties: readonly object[] = [
  { date: new Date(0), invalid: new Date(Number.NaN) },
  { boxed: [Object('text'), Object(1), Object(true)] },
  { bytes: new Uint8Array([1, 2]), buffer: new ArrayBuffer(2), view: new DataView(new ArrayBuffer(2)) },
  { map: new Map([[1, 2]]), set: new Set([1]), pattern: /x/, error: new Error('e') },
  { toJSON: () => ({ replaced: true }) },
  { inner: { toJSON: (key: string) => key } },
  { surrogate: '\ud800', text: 'ü🌍\u2028' },
  { undefined, function: () => 1, symbol: Symbol('s'), null: null },
  { big: 1n },
  { boxedBig: Object(1n) },
  cyclic,
  {
    get failing(): never {
      throw new Error('no');
    },
  },
  { text: 'x'.repeat(40_000) },
  { bytes: new Uint8Array(1_000_000) },
  { sparse: Object.assign([], { 500000: 1 }) },
];

test.each(properties.map((each, index) => [index, each] as const))(
  'both clients send the same properties or refuse them with the same error: %i',
  async (_, given) => {
    const told = doors.map(([, Client]) => {
      const sent: string[] = [];
      const transport = async ({ body }: { body: Uint8Array }) => {
        sent.push(new TextDecoder().decode(body));
        return { status: 200 };
      };
      const { analytics } = open(Client, { endpoint: 'http://collector.test', transport });
      const error = errorOf(() =>
        analytics.track({ ...track(), messageId: 'm1', timestamp: 0, properties: given as never }),
      );
      return analytics.flush().then(() => ({ error, batch: sent.map((body) => JSON.parse(body).batch) }));
    });
    const [node, fetch] = await Promise.all(told);
    expect(fetch).toEqual({ ...node, error: withoutHelp(node?.error ?? '') });
  },
);

/** Wrong calls with every kind of field. */
const wrong: readonly (readonly [call: 'track' | 'identify' | 'page' | 'group' | 'alias', message: unknown])[] = [
  ['track', undefined],
  ['track', 'Order Completed'],
  ['track', { userId: 'u1' }],
  ['track', { event: 'e' }],
  ['track', { userId: '', event: 'e' }],
  ['track', { userId: 5, event: 'e' }],
  ['track', { userId: 'x'.repeat(1_001), event: 'e' }],
  ['track', { anonymousId: 'a\ud800', event: 'e' }],
  ['alias', { userId: 'u\ud800', previousId: 'p' }],
  ['track', { userId: 'u1', event: 'e', properties: [] }],
  ['track', { userId: 'u1', event: 'e', timestamp: 1_700_000_000 }],
  ['track', { userId: 'u1', event: 'e', timestamp: 'yesterday' }],
  ['track', { userId: 'u1', event: 'e', messageId: 'x'.repeat(101) }],
  ['track', { userId: 'u1', event: 'e', context: 1 }],
  ['track', { userId: 'u1', event: 'e', context: { integrations: { A: 1 } } }],
  ['track', { userId: 'u1', event: 'e', integrations: { A: 'yes' } }],
  ['track', { userId: 'u1', event: 'e', type: 'page' }],
  ['track', { userId: 5, event: 5, timestamp: {} }],
  ['identify', { userId: 'u1', traits: 'pro' }],
  ['page', { userId: 'u1', properties: { url: 1 } }],
  ['page', { userId: 'u1', properties: {}, traits: {} }],
  ['page', { userId: 'u1', name: 1 }],
  ['group', { userId: 'u1', groupId: '' }],
  ['alias', { userId: 'u1' }],
  ['alias', { previousId: 'u1' }],
];

test.each(wrong)('both clients give the same error for a wrong %s: %j', (call, message) => {
  const [node, fetch] = doors.map(([, Client]) => {
    const { analytics } = open(Client, { endpoint: 'http://collector.test' });
    return errorOf(() => analytics[call](message as never));
  });
  expect(node).not.toBe('none');
  expect(fetch).toBe(withoutHelp(node ?? ''));
});

test.each<[string, object]>([
  ['journal', { journal: './events' }],
  ['proxy', { proxy: 'http://proxy.test:3128' }],
  ['tls', { tls: { ca: 'PEM' } }],
  ['closeOnSignal', { closeOnSignal: true }],
  ['endpoint', { endpoint: 'unix:/run/events.sock' }],
])('eventferry/fetch refuses the option %s, and says where it works', (option, given) => {
  const open = () => new web.Analytics({ writeKey: 'key', endpoint: 'https://collector.test', ...given });
  expect(open).toThrow(expect.objectContaining({ code: 'EVENTFERRY_INVALID_OPTION', option }));
  expect(open).toThrow('It works in Node, with `eventferry` alone');
});

test("eventferry/fetch accepts Node's options if their values are off", () => {
  const analytics = new web.Analytics({
    writeKey: 'key',
    endpoint: 'https://c.test',
    proxy: false,
    closeOnSignal: false,
  });
  expect(analytics.stats().accepted).toBe(0);
});

test('eventferry/fetch explains what to do if run() has no AsyncLocalStorage', async () => {
  // All clients of a copy share the AsyncLocalStorage of the first run.
  const fresh = await loadWebClient();
  const { analytics } = open(fresh.Analytics, { endpoint: 'http://collector.test' });
  expect(() => analytics.run({ userId: 'u1' }, () => {})).toThrow(
    'Expected `run` to be called where there is a global AsyncLocalStorage, got undefined. Use `child()`',
  );
});

test('eventferry/fetch warns once about the first failure, and mentions no proxy and no file', async () => {
  const warned = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warned.mockRestore());
  const analytics = new web.Analytics({ writeKey: 'key', endpoint: 'http://127.0.0.1:1', maxRetries: 0 });
  analytics.on('lost', () => {});
  analytics.on('retry', () => {});
  analytics.track(track());
  await analytics.close();
  expect(warned).not.toHaveBeenCalled();
  const second = new web.Analytics({ writeKey: 'key', endpoint: 'http://127.0.0.1:1' });
  second.on('lost', () => {});
  second.track(track());
  await expect.poll(() => warned).toHaveBeenCalled();
  await expect(second.flush({ timeout: 30 })).rejects.toThrow('Flushing took longer');
  await second.close({ timeout: 0 });
  expect(warned.mock.calls.map(([line]) => line)).toEqual([
    expect.stringMatching(
      /^eventferry: no answer from the collector at 127\.0\.0\.1:1: the request failed \(.*\)\. Check `endpoint`.*CORS/,
    ),
  ]);
});
