import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test, vi } from 'vitest';
import { basic, listening, track } from './support.js';

const loop = vi.hoisted(() => ({ turn: 0, unzippedIn: [] as number[] }));

vi.mock('node:zlib', async (original) => {
  const zlib = await original<typeof import('node:zlib')>();
  const gunzipSync = (...given: Parameters<typeof zlib.gunzipSync>) => {
    loop.unzippedIn.push(loop.turn);
    return zlib.gunzipSync(...given);
  };
  return { ...zlib, gunzipSync };
});

/** Counts the turns of the event loop, and records in which turn each sender's body is parsed. */
function watchParsing() {
  const parsed: { sender: string; turn: number }[] = [];
  const count = (): void => {
    loop.turn++;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  const parse = JSON.parse;
  const spy = vi.spyOn(JSON, 'parse').mockImplementation((text, reviver) => {
    const [, sender] = /"sender":"([^"]*)"/.exec(text) ?? [];
    if (sender !== undefined) parsed.push({ sender, turn: loop.turn });
    return parse(text, reviver);
  });
  onTestFinished(() => {
    clearImmediate(next);
    spy.mockRestore();
  });
  return parsed;
}

interface Sender {
  readonly sender: string;
  readonly address: string;
  readonly writeKey?: string;
  readonly headers?: Record<string, string>;
  readonly isZipped?: boolean;
  /** The bytes that the body has beside its message. @default 0 */
  readonly padding?: number;
}

/** Sends requests that reach the collector in the same turn of the event loop. */
async function sendTogether(senders: readonly Sender[]): Promise<number[]> {
  const { collector } = await listening({ trustedProxies: 1, writeKeys: ['dev', 'other'] });
  const answers = senders.map(async ({ sender, address, writeKey, headers = {}, isZipped = false, padding = 0 }) => {
    const json = JSON.stringify({ sender, writeKey, batch: [track()], padding: ' '.repeat(padding) });
    const body = isZipped ? new Uint8Array(gzipSync(json)) : json;
    const all = { 'x-forwarded-for': address, ...headers };
    const request = new Request('http://localhost/v1/batch', { method: 'POST', headers: all, body });
    return (await collector.fetch(request)).status;
  });
  return Promise.all(answers);
}

const strangers = (address: string, count: number, more: Partial<Sender> = {}): Sender[] =>
  Array.from({ length: count }, () => ({ sender: address, address, writeKey: 'unknown', ...more }));

test('only one body of unknown senders is parsed per turn of the event loop', async () => {
  const parsed = watchParsing();
  expect(await sendTogether(strangers('192.0.2.1', 8))).toEqual(Array(8).fill(401));
  expect(new Set(parsed.map(({ turn }) => turn)).size).toBe(8);
});

test('the compressed body of an unknown sender is decompressed in the turn that parses it', async () => {
  const parsed = watchParsing();
  await sendTogether(strangers('192.0.2.1', 8, { isZipped: true }));
  expect(loop.unzippedIn).toEqual(parsed.map(({ turn }) => turn));
  expect(new Set(loop.unzippedIn).size).toBe(8);
});

test('a sender with a known key in a header does not wait for the bodies of unknown senders', async () => {
  const parsed = watchParsing();
  const known = { sender: 'known', address: '192.0.2.1', headers: { authorization: basic('dev') } };
  const statuses = await sendTogether([...strangers('192.0.2.1', 8), known]);
  expect(statuses.at(-1)).toBe(200);
  expect(parsed[0]?.sender).toBe('known');
});

test('a customer with the key in the body waits for at most one body of each network of unknown senders', async () => {
  const parsed = watchParsing();
  const customer = { sender: 'customer', address: '192.0.2.3', writeKey: 'dev' };
  const senders = [...strangers('192.0.2.1', 4), ...strangers('192.0.2.2', 4), customer];
  expect((await sendTogether(senders)).at(-1)).toBe(200);
  const order = parsed.map(({ sender }) => sender);
  expect(order.slice(0, order.indexOf('customer')).length).toBeLessThanOrEqual(3);
  expect(order).toHaveLength(9);
});

const known = (writeKey: string, count: number, more: Partial<Sender> = {}): Sender[] => {
  const headers = { authorization: basic(writeKey) };
  return Array.from({ length: count }, () => ({ sender: writeKey, address: '192.0.2.1', headers, ...more }));
};

const LARGE = 5_000;

test.each([
  ['large', { padding: LARGE }],
  ['compressed', { isZipped: true }],
])('many %s bodies of one source delay each body of another source by one of them', async (_, more) => {
  const parsed = watchParsing();
  const statuses = await sendTogether([...known('dev', 8, more), ...known('other', 2, more)]);
  expect(statuses).toEqual(Array(10).fill(200));
  const order = parsed.map(({ sender }) => sender);
  // The first is opened at once, and the next one has its turn when the other source comes.
  expect(order.slice(0, 5)).toEqual(['dev', 'dev', 'other', 'dev', 'other']);
  expect(new Set(parsed.map(({ turn }) => turn)).size).toBe(10);
});

test('a small body does not wait for the large ones of others', async () => {
  const parsed = watchParsing();
  await sendTogether([...known('dev', 8, { padding: LARGE }), ...known('other', 2)]);
  expect(parsed.slice(0, 2).map(({ sender }) => sender)).toEqual(['other', 'other']);
});
