import { expect, test } from 'vitest';
import { CliError } from '../../../src/cli/cli-error.js';
import { connectionOf, secretOf } from '../../../src/cli/options/connection.js';
import { startCollector } from '../collector.js';
import { run } from '../command.js';

test('send takes the write key from the environment and never prints it', async () => {
  const collector = await startCollector();
  const env = { EVENTFERRY_ENDPOINT: collector.url, EVENTFERRY_WRITE_KEY: 'not-the-key-at-all' };
  const refused = await run(['send', 'track', '--user', 'u1', '--event', 'x'], env);
  const badEndpoint = await run(['send', 'track', '--user', 'u1', '--event', 'x', '--endpoint', 'ftp://x'], env);
  await collector.close();
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toMatch(/^send: rejected [\w-]+: The collector refused the message with status 401/);
  expect(refused.err + badEndpoint.err).not.toContain('not-the-key-at-all');
});

test.each([
  [{}, 'no endpoint; give --endpoint URL or set EVENTFERRY_ENDPOINT'],
  [{ endpoint: '', writeKey: 'k' }, 'no endpoint; give --endpoint URL or set EVENTFERRY_ENDPOINT'],
  [{ endpoint: 'http://a' }, 'no write key; give --write-key KEY or set EVENTFERRY_WRITE_KEY'],
])('a connection with %j is refused', (options, message) => {
  expect(() => connectionOf(options)).toThrow(new CliError(message));
});

test.each([undefined, '', []])('the secret %j is refused as missing', (secret) => {
  expect(() => secretOf(secret)).toThrow('no secret; give --secret SECRET or set EVENTFERRY_WEBHOOK_SECRET');
});
