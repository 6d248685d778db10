import { rootCertificates } from 'node:tls';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { Analytics } from '../../../src/client/analytics.js';
import { resolveTls } from '../../../src/client/transport/tls.js';
import { createAuthority } from '../../support/certificates.js';
import { startProxy } from '../../support/proxy.js';
import { run } from '../../support/script.js';
import { secureCollector } from '../../support/secure-collector.js';
import { transports, transportTo } from '../../support/transports.js';

const script = `
  import { Analytics } from 'eventferry';
  const analytics = new Analytics({ writeKey: 'dev', endpoint: process.env.ENDPOINT, flushAt: 1, retryFor: 0 });
  const send = () => analytics.track({ userId: 'u', event: 'e' }).delivered.catch(({ cause }) => console.log(cause?.message));
  for (let i = 0; i < 100; i++) await send();
  console.log(JSON.stringify(await analytics.close()));
`;

test('the first requests and later ones use TLS', async () => {
  const authority = createAuthority();
  const { url, requests } = await secureCollector({ ...authority.sign('IP:127.0.0.1') });
  const { stdout } = await run(script, { ENDPOINT: url, NODE_EXTRA_CA_CERTS: authority.file }).ended;
  expect(JSON.parse(stdout)).toMatchObject({ delivered: 100, lost: 0 });
  expect(requests()).toBe(100);
});

test('a collector with a certificate that no authority has signed gets no messages', async () => {
  const { url, requests } = await secureCollector({ ...createAuthority() });
  const { stdout } = await run(script, { ENDPOINT: url }).ended;
  const lines = stdout.trim().split('\n');
  // Newer versions of Node add advice to the message.
  expect(lines.filter((line) => line.startsWith('self-signed certificate'))).toHaveLength(100);
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ delivered: 0, lost: 100 });
  expect(requests()).toBe(0);
});

test('an https proxy needs a certificate that Node trusts, and nothing more', async () => {
  const authority = createAuthority();
  const { url, requests } = await secureCollector({ ...authority.sign('IP:127.0.0.1') });
  const proxy = await startProxy({ certificate: authority.sign('IP:127.0.0.1'), credentials: 'user:secret' });
  const env = { NODE_USE_ENV_PROXY: '1', HTTPS_PROXY: proxy.url.replace('//', '//user:secret@'), ENDPOINT: url };
  // Node 22 warns that its own clients' proxies are experimental.
  const node = { NODE_OPTIONS: '--disable-warning=UNDICI-EHPA', NODE_EXTRA_CA_CERTS: authority.file };
  const { stdout, stderr } = await run(script, { ...env, ...node }).ended;
  expect(JSON.parse(stdout)).toMatchObject({ delivered: 100, lost: 0 });
  expect(requests()).toBe(100);
  expect(stderr).toBe('');
  // One for node:http, one for undici.
  expect(proxy.asked).toEqual(Array(2).fill(`CONNECT ${new URL(url).host}`));
});

test.each([
  ['node:http', 1],
  ['undici', 20],
])(
  'a process that sent through a tunnel by %s ends by itself, even if the other side keeps the connection open',
  async (_, count) => {
    const authority = createAuthority();
    const collector = await secureCollector({ ...authority.sign('IP:127.0.0.1'), keepAliveTimeout: 600_000 });
    const proxy = await startProxy();
    const unclosed = `
    import { Analytics } from 'eventferry';
    const analytics = new Analytics({ writeKey: 'dev', endpoint: process.env.ENDPOINT, proxy: process.env.PROXY, flushAt: 1 });
    for (let i = 0; i < ${count}; i++) await analytics.track({ userId: 'u', event: 'e' }).delivered;
  `;
    const env = { ENDPOINT: collector.url, PROXY: proxy.url, NODE_EXTRA_CA_CERTS: authority.file };
    expect(await run(unclosed, env).ended).toMatchObject({ code: 0, stderr: '' });
    expect(collector.requests()).toBe(count);
  },
);

describe.each(transports)('%s', (_, createTransport) => {
  test('a client sends its certificate to a collector that asks for it, and trusts the given authority', async () => {
    const authority = createAuthority();
    const server = authority.sign('IP:127.0.0.1');
    const collector = await secureCollector({ ...server, ca: authority.cert, requestCert: true });
    const { cert, key } = authority.sign('DNS:shop.test');
    const bundle = `# Another\n${rootCertificates[0]}\n\n# Ours\n${authority.cert}`;
    const tls = { ca: [Buffer.from(bundle)], cert: Buffer.from(cert), key };
    const { send } = await transportTo(createTransport, { endpoint: collector.url, tls });
    for (let i = 0; i < 5; i++) expect((await send()).status).toBe(200);
    expect([...collector.clients.values()]).toEqual(['shop.test']);
  });

  test('a client without a certificate is refused by a collector that asks for one', async () => {
    const authority = createAuthority();
    const server = authority.sign('IP:127.0.0.1');
    const collector = await secureCollector({ ...server, ca: authority.cert, requestCert: true });
    const { send } = await transportTo(createTransport, { endpoint: collector.url, tls: { ca: authority.cert } });
    await expect(send()).rejects.toThrow();
    expect(collector.requests()).toBe(0);
  });

  test('only a self-signed certificate that is given as `ca` is trusted', async () => {
    const [one, other] = [createAuthority(), createAuthority()];
    const collector = await secureCollector({ ...one });
    const named = { endpoint: collector.url, tls: { ca: one.cert, servername: 'authority.test' } };
    expect((await (await transportTo(createTransport, named)).send()).status).toBe(200);
    const unnamed = { endpoint: collector.url, tls: { ca: one.cert } };
    await expect((await transportTo(createTransport, unnamed)).send()).rejects.toThrow('127.0.0.1');
    const unknown = { endpoint: collector.url, tls: { ca: other.cert, servername: 'authority.test' } };
    await expect((await transportTo(createTransport, unknown)).send()).rejects.toThrow('self-signed certificate');
    expect(collector.requests()).toBe(1);
  });
});

test.each<[string, unknown, RegExp]>([
  ['no object', 'secret', /^Expected `tls` to be an object, got a string of 6 characters$/],
  ['null', null, /^Expected `tls` to be an object, got null$/],
  [
    'an unknown field',
    { pfx: 'secret' },
    /^Expected `tls.pfx` to be a known option, .* There are ca, cert, key, passphrase, servername$/,
  ],
  ['a field of another type', { key: 1 }, /^Expected `tls.key` to be PEM, as a string or a Uint8Array, got a number$/],
  ['an empty key', { key: '' }, /^Expected `tls.key` to be PEM, as a string or a Uint8Array, got an empty string$/],
  [
    'authorities of another type',
    { ca: [1] },
    /^Expected `tls.ca` to be PEM .*, got a list whose entry 0 is a number$/,
  ],
  [
    "the path of an authority's file",
    { ca: '/secret/ca.pem' },
    /^Expected `tls.ca` to be PEM with at least one certificate, .*, got a string of 14 characters. If this is the path /,
  ],
  ['an empty name', { servername: '' }, /^Expected `tls.servername` to be a non-empty string, got an empty string/],
  ['a certificate without its key', { cert: 'secret' }, /^Expected `tls` to be given a `cert` and its `key`, or nei/],
  ['text that is not PEM', { cert: 'secret', key: 'secret' }, /^Expected `tls` to be .*, got an error: /],
])('a `tls` option with %s is refused and not shown', (_, tls, message) => {
  expect(() => resolveTls(tls)).toThrow(message);
  expect(() => resolveTls(tls)).not.toThrow('secret');
});

test('a `tls` option with the key of another certificate is refused and not shown', () => {
  const [{ cert }, { key }] = [createAuthority(), createAuthority()];
  expect(() => resolveTls({ cert, key })).toThrow('key values mismatch');
});

test('an inspected client shows no key, no credentials and no headers', () => {
  const { cert, key } = createAuthority();
  const analytics = new Analytics({
    writeKey: 'secret-write-key',
    endpoint: 'https://127.0.0.1:1',
    proxy: 'http://user:secret-password@127.0.0.1:1',
    tls: { cert, key },
    headers: { 'X-Token': 'secret-token' },
  });
  const shown = inspect(analytics, { depth: Number.POSITIVE_INFINITY, showHidden: true });
  expect(shown + JSON.stringify(analytics)).not.toMatch(/secret|PRIVATE/);
});
