import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { AdminConfig } from '../../../src/service/config/service-config.js';
import { ask, configOf, destinationOf, serving, TOKEN } from '../support.js';

/** Starts a proxy like nginx with its defaults: `Host` is the service's own address, and `added` are further headers. */
async function proxyTo(target: string, added: Record<string, string>): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, host: new URL(target).host, ...added };
    const passed = request(target + incoming.url, { method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const ORIGIN = 'https://events.example.com';

/** Signs in through the proxy as a browser at the origin would, changes something, and returns what the browser gets. */
async function through(admin: AdminConfig, added: Record<string, string> = {}, origin = ORIGIN) {
  const config = configOf({ destinations: [destinationOf('http://127.0.0.1:9/')] });
  const { url } = await serving({ ...config, admin: { token: TOKEN, ...admin } });
  const proxy = await proxyTo(url, added);
  const headers = { authorization: '' };
  const signedIn = await ask(proxy, '/v1/session', { method: 'POST', json: { token: TOKEN }, headers });
  const [cookie = '', ...attributes] = (signedIn.headers.get('set-cookie') ?? '').split('; ');
  const changed = await ask(proxy, '/v1/destinations/crm/enabled', {
    method: 'PUT',
    json: { enabled: true },
    headers: { ...headers, cookie, origin },
  });
  return { status: changed.status, isSecure: attributes.includes('Secure') };
}

const FORWARDED = { 'x-forwarded-host': 'events.example.com', 'x-forwarded-proto': 'https' };

test('behind a proxy that rewrites `Host`, `publicUrl` lets the page change things and makes its cookie `Secure`', async () => {
  expect(await through({ publicUrl: `${ORIGIN}/` })).toEqual({ status: 200, isSecure: true });
});

test('with `publicUrl`, no header of a proxy admits another origin', async () => {
  const forged = { 'x-forwarded-host': 'evil.example' };
  const admin = { publicUrl: ORIGIN, trustedProxies: 1 };
  expect((await through(admin, forged, 'https://evil.example')).status).toBe(403);
  expect((await through(admin, {}, 'http://events.example.com')).status).toBe(403);
});

test.each([
  ['trusts no proxy by default', {}, FORWARDED, { status: 403, isSecure: false }],
  ['uses the headers of a trusted proxy', { trustedProxies: 1 }, FORWARDED, { status: 200, isSecure: true }],
  [
    'knows the default port',
    { trustedProxies: 1 },
    { ...FORWARDED, 'x-forwarded-host': 'Events.example.com:443' },
    { status: 200, isSecure: true },
  ],
  [
    'ignores what a client put before the value of the proxy',
    { trustedProxies: 1 },
    { 'x-forwarded-host': 'events.example.com, other.example', 'x-forwarded-proto': 'https, http' },
    { status: 403, isSecure: false },
  ],
])('without `publicUrl` the service %s', async (_, admin, added, expected) => {
  expect(await through(admin, added)).toEqual(expected);
});
