import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { Transport } from '../../../src/client/transport/transport.js';
import { client } from '../../support/client.js';
import { bytesOf, serve } from '../../support/loopback.js';

const viaFetch: Transport = async ({ url, headers, body, signal }) => {
  const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' });
  return { status: response.status, headers: response.headers, body: await response.text() };
};

/** A collector with this response, and what its client reports about two messages. */
async function setUp(answer: string | Buffer, headers: Record<string, string> = {}, transport?: Transport) {
  const encodings: (string | undefined)[] = [];
  const endpoint = await serve(async (request, response) => {
    encodings.push(request.headers['accept-encoding']);
    await bytesOf(request);
    response.writeHead(200, headers).end(answer);
  });
  const lines: string[] = [];
  const note = (line: string): void => void lines.push(line);
  const logger = { debug() {}, warn: note, error() {} };
  const { analytics, lost } = client({ endpoint, logger, ...(transport && { transport }) });
  for (const event of ['A', 'B']) {
    analytics.track({ userId: 'u1', event });
    await analytics.flush();
  }
  return { analytics, lost, lines, encodings, endpoint };
}

const refusal = JSON.stringify({ success: true, rejected: [{ index: 0, code: 'BAD', message: 'no' }] });

test.each([
  ['our own transport', undefined],
  ['a custom transport', viaFetch],
])('a gzip-compressed refusal is read: %s', async (_, transport) => {
  const { analytics, lost, encodings } = await setUp(gzipSync(refusal), { 'Content-Encoding': 'gzip' }, transport);
  expect(analytics.stats()).toMatchObject({ delivered: 0, lost: 2 });
  expect(lost[0]?.error.message).toContain('BAD: no');
  expect(new Set(encodings)).toEqual(new Set(['identity']));
});

test('a message whose response cannot be read is lost, not delivered, and the error says why', async () => {
  const { analytics, lost } = await setUp(gzipSync(refusal), { 'Content-Encoding': 'zstd' });
  expect(analytics.stats()).toMatchObject({ delivered: 0, lost: 2 });
  expect(lost[0]?.error.message).toContain('An answer in zstd that cannot be read');
});

test('a compressed answer that a custom transport has decoded as text does not count as delivered', async () => {
  const garbled: Transport = async () => ({
    status: 200,
    headers: { 'content-encoding': 'gzip' },
    body: gzipSync(refusal).toString('utf8'),
  });
  const { analytics } = await setUp('', {}, garbled);
  expect(analytics.stats()).toMatchObject({ delivered: 0, lost: 2 });
});

test.each([
  ['a page', '<!doctype html><title>Welcome</title>'],
  ['a success that is false', '{ "success": false }'],
  ['an ok that is false', '{"ok":false}'],
  ['an error', '{"error":"over quota"}'],
  ['an error object', '{"error":{"code":7}}'],
  ['the status "error"', '{"status":"error"}'],
  ['the status "failed"', '{ "status": "failed" }'],
  ['a list of errors', '{"errors":[{"index":0}]}'],
])('the first response that counts as delivered but looks like a failure causes one warning: %s', async (_, answer) => {
  const { analytics, lines, endpoint } = await setUp(answer);
  expect(analytics.stats()).toMatchObject({ delivered: 2, lost: 0 });
  const { host } = new URL(endpoint);
  expect(lines).toEqual([
    expect.stringContaining(`${host} answered 200 with ${answer}: its messages count as delivered`),
  ]);
});

test.each([
  '',
  '{}',
  'ok',
  '{"success":true}',
  '{"error":null}',
  '{"error":""}',
  '{"errors":[ ]}',
  '{"status":"ok"}',
  '{"success": true, "rejected": []}',
])('a typical response of a collector causes no warning: %s', async (answer) => {
  expect((await setUp(answer)).lines).toEqual([]);
});
