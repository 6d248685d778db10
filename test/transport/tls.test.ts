import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { bytesOf } from '../support/loopback.js';
import { run } from '../support/script.js';

/** A collector with a certificate that only those trust who are told to. */
async function secureCollector(): Promise<{ url: string; certificate: string; requests: () => number }> {
  const folder = mkdtempSync(join(tmpdir(), 'eventferry-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync('openssl', ['req', '-x509', ...kind, '-keyout', key, '-out', certificate, ...subject], {
    stdio: 'ignore',
  });
  let requests = 0;
  const server = createServer(
    { key: readFileSync(key), cert: readFileSync(certificate) },
    async (request, response) => {
      requests++;
      await bytesOf(request);
      response.end('{"success":true}');
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `https://127.0.0.1:${port}`, certificate, requests: () => requests };
}

const script = `
  import { Analytics } from 'eventferry';
  const analytics = new Analytics({ writeKey: 'dev', endpoint: process.env.ENDPOINT, flushAt: 1, retryFor: 0 });
  const send = () => analytics.track({ userId: 'u', event: 'e' }).delivered.catch(({ cause }) => console.log(cause?.message));
  for (let i = 0; i < 100; i++) await send();
  console.log(JSON.stringify(await analytics.close()));
`;

test('the first requests and those after them go over TLS', async () => {
  const { url, certificate, requests } = await secureCollector();
  const { stdout } = await run(script, { ENDPOINT: url, NODE_EXTRA_CA_CERTS: certificate }).ended;
  expect(JSON.parse(stdout)).toMatchObject({ delivered: 100, lost: 0 });
  expect(requests()).toBe(100);
});

test('a collector whose certificate nobody has signed is given nothing', async () => {
  const { url, requests } = await secureCollector();
  const { stdout } = await run(script, { ENDPOINT: url }).ended;
  const lines = stdout.trim().split('\n');
  // Newer versions of Node add what may be done about it.
  expect(lines.filter((line) => line.startsWith('self-signed certificate'))).toHaveLength(100);
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ delivered: 0, lost: 100 });
  expect(requests()).toBe(0);
});
