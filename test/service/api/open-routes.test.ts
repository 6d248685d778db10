import { once } from 'node:events';
import { get } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readBuiltFile } from '../../../src/base/process/built-file.js';
import { PageObserver } from '../../../src/cli/serve/page-observer.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { StoreFullError } from '../../../src/store/store-errors.js';
import { startEndpoint } from '../../scheduler/test-endpoint.js';
import { configOf, destinationOf, sendBatch, serving, sourceOf, track } from '../support.js';
import { operations } from './described.js';

const NAMES = ['Acme', 'Globex', 'customer.example'];
const METRICS = 'a-token-of-the-scraper';

/** A service with two customers and a full disk. The destination of one customer fails and has a dead letter. */
async function troubled(listen?: { host: string; port: number }) {
  const [failing, waiting] = await Promise.all([startEndpoint(404), startEndpoint(503)]);
  const storage = memoryStorage();
  const destinations = [
    destinationOf(`${failing.url}?at=customer.example`, { name: 'Acme' }),
    destinationOf(waiting.url, { name: 'Globex' }),
  ];
  const sources = [sourceOf({ name: 'Acme', destinations: ['Acme', 'Globex'] })];
  const config = configOf({ sources, destinations, metrics: { token: METRICS } });
  const admin = { ...config.admin, ...(listen && { listen }) };
  const observer = new PageObserver((await readBuiltFile('debugger.html')) ?? '');
  const served = await serving({ ...config, admin }, { storage, observer });
  await sendBatch(served.url, track('m1'));
  await expect
    .poll(() => served.service.destinations().map((each) => each.counters().attempts > 0))
    .toEqual([true, true]);
  storage.check = () => Promise.reject(new StoreFullError('/data/Acme', 3 * 2 ** 20));
  return served;
}

const pathOf = ({ path }: { path: string }): string => path.replace(/:\w+/g, 'Acme-0');

const ROUTES: readonly (readonly [method: string, path: string])[] = [
  ...operations.map((operation) => [operation.method, pathOf(operation)] as const),
  ...['/', '/favicon.ico', '/nowhere', '/v1/nowhere', '/v1', '/%', '/metrics?q=1'].map(
    (path) => ['GET', path] as const,
  ),
  ['OPTIONS', '/v1/batch'],
  ['PATCH', '/v1/destinations'],
  ['POST', '/healthz'],
];

/** Returns everything in an answer except the requested path. */
async function saidAt(url: string, [method, path]: (typeof ROUTES)[number], authorization: string): Promise<string> {
  const body = method === 'GET' || method === 'OPTIONS' ? {} : { body: JSON.stringify({ batch: [track('m2')] }) };
  const headers = { ...(authorization && { authorization }), 'content-type': 'application/json' };
  const response = await fetch(url + path, { method, headers, ...body });
  return `${JSON.stringify([...response.headers])} ${await response.text()}`.replaceAll(path, '');
}

test.each([
  ['at a single address', undefined],
  ['at the client address beside an admin address', { host: '127.0.0.1', port: 0 }],
])('no route %s names a customer to a request without a token', async (_, listen) => {
  const { url, admin, ask } = await troubled(listen);
  const metrics = await fetch(`${admin}/metrics`, { headers: { authorization: `Bearer ${METRICS}` } });
  // This shows that the service has a name to hide.
  expect(await metrics.text()).toContain('Acme');
  const asked = [...new Set([url, admin])].flatMap((address) =>
    ROUTES.flatMap((route) => ['', 'Bearer wrong-token-of-somebody'].map((token) => [address, route, token] as const)),
  );
  const said = await Promise.all(asked.map(async (each) => [each, await saidAt(...each)] as const));
  expect(said.filter(([, text]) => NAMES.some((name) => text.includes(name)))).toEqual([]);
  expect(said.length).toBeGreaterThan(100);
  expect(await ask('/readyz', { headers: { authorization: '' } })).toMatchObject({
    ...{ status: 503, body: { code: 'not_ready', message: 'The store takes no new events: 3 MB are free' } },
  });
});

async function fetchRaw(url: string, encoding: string): Promise<{ encoding: string | undefined; bytes: Buffer }> {
  const [response] = await once(get(url, { headers: { 'accept-encoding': encoding } }), 'response');
  return { encoding: response.headers['content-encoding'], bytes: await buffer(response) };
}

test.each(['/v1/openapi.json', '/'])('%s is compressed for a client that accepts compression', async (path) => {
  const observer = new PageObserver((await readBuiltFile('debugger.html')) ?? '');
  const { url } = await serving(configOf(), { observer });
  const plain = await fetchRaw(url + path, 'identity');
  expect(plain.encoding).toBeUndefined();
  expect(plain.bytes.length).toBeGreaterThan(50_000);
  const decoders = { br: brotliDecompressSync, gzip: gunzipSync };
  for (const [encoding, decode] of Object.entries(decoders)) {
    const encoded = await fetchRaw(url + path, encoding);
    expect(encoded.encoding).toBe(encoding);
    expect(decode(encoded.bytes).equals(plain.bytes)).toBe(true);
    expect(encoded.bytes.length * 2).toBeLessThan(plain.bytes.length);
  }
});
