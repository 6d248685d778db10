import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createAuthority } from '../support/certificates.js';
import { freePort } from '../support/free-port.js';
import { serve } from '../support/loopback.js';
import { sink, status } from '../support/sink.js';
import { freshFolder } from './fresh-folder.js';

/** Runs for two seconds, and then ends without further output. */
const program = `
import { Analytics } from 'eventferry';
const analytics = new Analytics({ writeKey: 'a-write-key-of-mine', endpoint: process.env.ENDPOINT });
for (let i = 0; i < 3; i++) analytics.track({ userId: 'u1', event: 'Order Completed' });
analytics.flush();
setTimeout(() => process.kill(process.pid, 'SIGKILL'), 2_000);
`;

const MOST_CHARACTERS = 700;

/** Starts a server that speaks TLS with a certificate that nobody trusts, and returns its port. */
async function securePort(): Promise<number> {
  const { cert, key } = createAuthority(onTestFinished, 'IP:127.0.0.1');
  const server: Server = createSecureServer({ cert, key });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

test('a wrong endpoint is reported once within two seconds, in one line with the place, the reason and advice', async () => {
  const folder = await freshFolder({ 'app.mjs': program });
  const secure = await securePort();
  const plain = new URL(await serve((request, response) => void request.resume().on('end', () => response.end('{}'))));
  const refuses = await sink(() => status(401, {}, 'unknown write key a-write-key-of-mine'));
  const closed = await freePort();
  const cases: Record<string, { endpoint: string; says: RegExp }> = {
    'a host that does not exist': {
      endpoint: 'http://events.invalid',
      says: /events\.invalid: .*(ENOTFOUND|EAI_AGAIN).*(Check the host|Check the network)/,
    },
    'a port where nothing listens': {
      endpoint: `http://127.0.0.1:${closed}`,
      says: new RegExp(`127\\.0\\.0\\.1:${closed}: nothing listens on that port.*ECONNREFUSED.*Check the port`),
    },
    'a certificate that signs itself': {
      endpoint: `https://127.0.0.1:${secure}`,
      says: /DEPTH_ZERO_SELF_SIGNED_CERT.*NODE_EXTRA_CA_CERTS/,
    },
    'http for https': { endpoint: `http://127.0.0.1:${secure}`, says: /HTTPS port.*write https:\/\// },
    'https for http': { endpoint: `https://${plain.host}`, says: /does not speak TLS.*write http:\/\// },
    'a write key that is not known': { endpoint: refuses.url, says: /401.*does not know this write key/ },
  };
  await Promise.all(
    Object.entries(cases).map(async ([name, { endpoint, says }]) => {
      const { stdout, stderr } = await folder.node(['app.mjs'], { ENDPOINT: endpoint }).ended;
      const warnings = stderr.split('\n').filter((line) => line.includes('EventferryWarning'));
      expect(warnings, name).toEqual([expect.stringMatching(says)]);
      expect(warnings[0]?.length, name).toBeLessThan(MOST_CHARACTERS);
      // Node itself adds a line on how to show where a warning was created.
      expect(stderr.trim().split('\n').length, name).toBeLessThanOrEqual(2);
      expect(stdout, name).toBe('');
      expect(stderr, name).not.toContain('a-write-key-of-mine');
    }),
  );
});
