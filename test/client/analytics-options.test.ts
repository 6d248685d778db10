import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { Analytics } from '../../src/client/analytics.js';
import { DEFAULTS, resolveOptions } from '../../src/client/analytics-options.js';
import { MESSAGE_TYPES } from '../../src/protocol/field-table.js';
import { client, track } from '../support/client.js';
import { sink } from '../support/sink.js';

const required = { writeKey: 'key', endpoint: 'http://127.0.0.1:4100' };

const refusal = (options: unknown): string => {
  try {
    new Analytics(options as never);
  } catch (error) {
    expect(error).toMatchObject({ name: 'OptionError', code: 'EVENTFERRY_INVALID_OPTION' });
    return (error as Error).message;
  }
  return 'accepted';
};

test('two options are required, and all others have defaults', () => {
  expect(resolveOptions(required)).toMatchObject(DEFAULTS);
  expect(DEFAULTS).toEqual({
    flushAt: 20,
    flushAfter: 5_000,
    maxBatchBytes: 500_000,
    maxBatchMessages: 2_500,
    maxQueueBytes: 67_108_864,
    concurrency: 1,
    requestTimeout: 10_000,
    retryFor: 14_400_000,
    maxRetries: Number.POSITIVE_INFINITY,
    gzip: false,
    enabled: true,
    onViolation: 'report',
    onInvalid: 'throw',
    warnings: true,
  });
});

test('an option that is undefined has its default', () => {
  const options = Object.fromEntries(Object.keys(DEFAULTS).map((name) => [name, undefined]));
  expect(resolveOptions({ ...required, ...options })).toEqual(resolveOptions(required));
});

test.each([
  ['http://127.0.0.1:4100', 'http://127.0.0.1:4100/v1/batch'],
  ['http://127.0.0.1:4100/', 'http://127.0.0.1:4100/v1/batch'],
  ['https://events.example.com/a/b//', 'https://events.example.com/a/b/v1/batch'],
  ['HTTPS://Events.Example.com:443', 'https://events.example.com/v1/batch'],
  ['http://[::1]:4100/x', 'http://[::1]:4100/x/v1/batch'],
])('batches for the endpoint %s go to %s', (endpoint, url) => {
  expect(resolveOptions({ ...required, endpoint }).url).toBe(url);
});

test('size and flushAt may both be given if they are equal', () => {
  expect(resolveOptions({ ...required, size: 7 }).flushAt).toBe(7);
  expect(resolveOptions({ ...required, size: 7, flushAt: 7 }).flushAt).toBe(7);
  expect(refusal({ ...required, size: 7, flushAt: 8 })).toBe(
    'Expected `size` to be the same as `flushAt` (8), or left out, got number 7',
  );
});

test.each<[object, string]>([
  [{ flushAt: 0 }, 'Expected `flushAt` to be an integer from 1 up, got number 0'],
  [{ flushAt: 1.5 }, 'Expected `flushAt` to be an integer from 1 up, got number 1.5'],
  [{ flushAt: '20' }, 'Expected `flushAt` to be an integer from 1 up, got string "20"'],
  [{ flushAt: null }, 'Expected `flushAt` to be an integer from 1 up, got null'],
  [{ size: 0 }, 'Expected `size` to be an integer from 1 up, got number 0'],
  [{ flushAfter: -1 }, 'Expected `flushAfter` to be an integer from 0 to 2147483647, got number -1'],
  [{ flushAfter: 2 ** 31 }, 'Expected `flushAfter` to be an integer from 0 to 2147483647, got number 2147483648'],
  [{ maxBatchBytes: 32_999 }, 'Expected `maxBatchBytes` to be an integer from 33000 to 500000, got number 32999'],
  [{ maxBatchBytes: 500_001 }, 'Expected `maxBatchBytes` to be an integer from 33000 to 500000, got number 500001'],
  [{ maxBatchMessages: 0 }, 'Expected `maxBatchMessages` to be an integer from 1 up, got number 0'],
  [{ maxQueueBytes: 65_999 }, 'Expected `maxQueueBytes` to be an integer from 66000 up, got number 65999'],
  [{ concurrency: 0 }, 'Expected `concurrency` to be an integer from 1 up, got number 0'],
  [{ requestTimeout: 0 }, 'Expected `requestTimeout` to be an integer from 1 to 2147483647, got number 0'],
  [{ retryFor: Number.NaN }, 'Expected `retryFor` to be an integer from 0 to 2147483647, got number NaN'],
  [{ maxRetries: -1 }, 'Expected `maxRetries` to be an integer from 0 up, or Infinity, got number -1'],
  [{ gzip: 'yes' }, 'Expected `gzip` to be true or false, got string "yes"'],
  [{ enabled: 1 }, 'Expected `enabled` to be true or false, got number 1'],
  [{ closeOnSignal: 'SIGTERM' }, 'Expected `closeOnSignal` to be true or false, got string "SIGTERM"'],
  [{ context: [] }, 'Expected `context` to be a plain object, got an array'],
  [
    { integrations: { Webhooks: 1 } },
    'Expected `integrations.Webhooks` to be true, false or a plain object, got number 1',
  ],
  [{ before: {} }, 'Expected `before` to be a function or a list of functions, got an object'],
  [{ before: [() => null, 1] }, 'Expected `before` to be a function or a list of functions, got an array'],
  [
    { logger: { debug() {} } },
    'Expected `logger` to be an object with the methods debug, warn and error, got an object',
  ],
  [{ transport: 'fetch' }, 'Expected `transport` to be a function, got string "fetch"'],
  [
    { writeKey: '' },
    'Expected `writeKey` to be a non-empty string without a colon or control characters, got an empty string',
  ],
  [
    { writeKey: 20_261_122 },
    'Expected `writeKey` to be a non-empty string without a colon or control characters, got a number',
  ],
  [
    { writeKey: undefined },
    'Expected `writeKey` to be a non-empty string without a colon or control characters, got undefined',
  ],
  [
    { endpoint: 'ftp://example.com' },
    "Expected `endpoint` to be an http or https URL without credentials, query or fragment, got 'ftp://example.com'",
  ],
  [
    { endpoint: 'example.com' },
    "Expected `endpoint` to be an http or https URL without credentials, query or fragment, got 'example.com'. Write 'https://example.com'",
  ],
  [
    { endpoint: undefined },
    'Expected `endpoint` to be an http or https URL without credentials, query or fragment, got undefined',
  ],
])('the option %j is refused with its name, what was expected and what was given', (option, message) => {
  expect(refusal({ ...required, ...option })).toBe(message);
});

test.each(['http://user:secret@example.com', 'http://example.com?a=secret', 'http://example.com/#secret'])(
  'the endpoint %s is refused and shown without possible secrets',
  (endpoint) => {
    expect(refusal({ ...required, endpoint })).toMatch(/`endpoint`.*'http:\/\/example\.com\/?'/);
    expect(refusal({ ...required, endpoint })).not.toContain('secret');
  },
);

test('a URL object is accepted as the endpoint', () => {
  expect(resolveOptions({ ...required, endpoint: new URL('http://127.0.0.1:4100/in') }).url).toBe(
    'http://127.0.0.1:4100/in/v1/batch',
  );
});

test('an unknown option is refused with the nearest known name', () => {
  expect(refusal({ ...required, flushat: 1 })).toBe(
    'Expected `flushat` to be a known option, got an unknown name. Did you mean `flushAt`?',
  );
  expect(refusal({ ...required, colour: 1 })).toMatch(/, got an unknown name. There are writeKey, endpoint, flushAt, /);
});

test.each<[string, string]>([
  ['writekey', 'Did you mean `writeKey`?'],
  ['retryfor', 'Did you mean `retryFor`?'],
])("another client's option %s is refused with the name of ours", (name, advice) => {
  expect(refusal({ ...required, [name]: 1 })).toContain(advice);
});

test('an unknown option with a long name of many lines is refused on one short line', () => {
  const message = refusal({ ...required, ['x\n'.repeat(1_000)]: 1 });
  expect(message).toMatch(/^Expected `x\\nx[^\n]{1,600}$/);
});

test.each<[string, string]>([
  ['https://events.example.com/v1/batch', 'https://events.example.com'],
  ['https://events.example.com/a/v1/track/', 'https://events.example.com/a'],
  ['http://127.0.0.1:4100/V1/import', 'http://127.0.0.1:4100'],
  ...['b', 'i', 't', 'p', 's', 'g', 'a', ...MESSAGE_TYPES].map((name): [string, string] => [
    `https://events.example.com/v1/${name}`,
    'https://events.example.com',
  ]),
])('the endpoint %s is refused with the base URL to use: %s', (endpoint, base) => {
  expect(refusal({ ...required, endpoint })).toMatch(
    /^Expected `endpoint` to be the collector's base URL, to which `\/v1\/batch` is appended, got one that ends in \/v1\//i,
  );
  expect(refusal({ ...required, endpoint })).toContain(`. Give '${base}'`);
  expect(refusal({ ...required, endpoint: base })).toBe('accepted');
});

test('a client without options is refused', () => {
  expect(refusal(undefined)).toBe(
    "Expected `options` to be an object, got undefined. Write new Analytics({ writeKey: '…', endpoint: 'https://…' })",
  );
});

const writeKey = 'very-secret-key';

test('the write key is not shown in the refusal of an option', () => {
  expect(refusal({ ...required, writeKey: 'very:secret' })).toContain('a string of 11 characters');
  expect(refusal({ ...required, writeKey: { secret: 1 } })).not.toContain('secret');
  expect(refusal({ ...required, endpoint: 'http://user:very-secret@x' })).not.toContain('very-secret');
});

test('the write key is not shown if it is passed instead of the options', () => {
  for (const given of [writeKey, [writeKey], new String(writeKey)]) {
    expect(refusal(given)).not.toContain(writeKey);
  }
  expect(refusal(writeKey)).toBe(
    "Expected `options` to be an object, got a string of 15 characters. Write new Analytics({ writeKey: '…', endpoint: 'https://…' })",
  );
});

test('the write key is not shown when a client is inspected', () => {
  const { analytics } = client({ endpoint: 'http://127.0.0.1:1', writeKey });
  for (const shown of [analytics, analytics.child({ userId: 'u' }), { analytics }]) {
    expect(inspect(shown, { depth: 10, showHidden: true })).not.toContain(writeKey);
    expect(JSON.stringify(shown)).not.toContain(writeKey);
  }
  expect(inspect(analytics)).toBe(
    "Analytics { endpoint: 'http://127.0.0.1:1/v1/batch', accepted: 0, delivered: 0, lost: 0, pending: 0 }",
  );
});

test('the write key is not shown in a log line or an error', async () => {
  const lines: string[] = [];
  const write = (line: string): void => {
    lines.push(line);
  };
  const collector = await sink(401);
  const { analytics, lost } = client({
    endpoint: collector.url,
    writeKey,
    logger: { debug: write, warn: write, error: write },
  });
  analytics.track(track());
  await analytics.flush();
  const encoded = Buffer.from(`${writeKey}:`).toString('base64');
  for (const text of [...lines, inspect(lost, { depth: 10, showHidden: true })]) {
    expect(text).not.toContain(writeKey);
    expect(text).not.toContain(encoded);
  }
  expect(lines).toHaveLength(1);
});

test('integrations in the context of the client or of a child are sent at the top level', async () => {
  const collector = await sink();
  const { analytics } = client({
    endpoint: collector.url,
    context: { locale: 'de', integrations: { All: false, A: true, B: true } },
    integrations: { A: false },
  });
  const user = analytics.child({ context: { ip: '2', integrations: { B: false } } });
  user.track(track());
  user.track({ ...track(), integrations: { B: true } });
  await analytics.flush();
  expect(collector.messages.map(({ context, integrations }) => ({ context, integrations }))).toEqual([
    { context: { locale: 'de', ip: '2' }, integrations: { All: false, A: false, B: false } },
    { context: { locale: 'de', ip: '2' }, integrations: { All: false, A: false, B: true } },
  ]);
});

test('context and integrations are merged into every message, and the message wins', async () => {
  const collector = await sink();
  const { analytics } = client({
    endpoint: collector.url,
    context: { ip: '1', locale: 'de' },
    integrations: { All: false, A: true },
  });
  analytics.track({ ...track(), context: { ip: '2' }, integrations: { A: false } });
  await analytics.flush();
  expect(collector.messages).toMatchObject([
    { context: { ip: '2', locale: 'de' }, integrations: { All: false, A: false } },
  ]);
});

test('a client that is not enabled checks calls and sends nothing', async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url, enabled: false });
  expect(() => analytics.track({ userId: 'u' } as never)).toThrow('track.event');
  const receipt = analytics.track(track());
  await analytics.close();
  await expect(receipt.delivered).resolves.toBeUndefined();
  expect(receipt.filtered).toBe(true);
  expect(collector.requests).toEqual([]);
  expect(analytics.stats()).toMatchObject({ accepted: 0, filtered: 1 });
});

test('a transport of a few lines replaces the HTTP stage', async () => {
  const collector = await sink(503);
  const { analytics, clock } = client({
    endpoint: collector.url,
    transport: async ({ url, headers, body, signal }) => {
      const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' });
      return { status: response.status, headers: response.headers, body: await response.text() };
    },
  });
  const receipt = analytics.track(track());
  analytics.on('retry', ({ delayMs }) => queueMicrotask(() => clock.advance(delayMs)));
  await analytics.flush();
  await receipt.delivered;
  expect(collector.requests[1]?.headers.get('x-retry-count')).toBe('1');
});
