import { expect, test } from 'vitest';
import { sink } from '../support/sink.js';
import { type FreshFolder, freshFolder } from './fresh-folder.js';

/** Sends each event in its own request, and more of them than it takes elsewhere until the client switches to undici. */
const SENDS = `
test.each([false, true])('an app under Jest delivers with gzip %s', async (gzip) => {
  const analytics = new Analytics({ writeKey: 'k', endpoint: process.env.ENDPOINT, flushAt: 1, gzip });
  for (let i = 0; i < 6; i++) await analytics.track({ userId: 'u1', event: 'Signed Up' }).delivered;
  expect(await analytics.close()).toMatchObject({ accepted: 6, delivered: 6, requests: 6, retries: 0 });
});
`;

/** Only works as an ES module. */
const DELIVERS = `
import { createServer } from 'node:http';
import { Destination, lmdbStore } from 'eventferry/destination';

test('a destination keeps and delivers', async () => {
  const server = createServer((request, response) => request.resume().on('end', () => response.end())).unref();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = 'http://127.0.0.1:' + server.address().port;
  const store = await lmdbStore({ path: 'store' });
  const destination = await Destination.open({ webhooks: [{ url }], allowLoopback: true, store });
  const delivered = new Promise((resolve) => destination.on('delivered', resolve));
  await destination.deliver({ type: 'track', messageId: 'm1', userId: 'u1', event: 'Signed Up', timestamp: new Date().toISOString() });
  expect(await delivered).toMatchObject({ id: 'm1' });
  await destination.close();
  server.close();
}, 60_000);
`;

/** A client of an app that no test closes. */
const FORGETS = `
const { Analytics } = require('eventferry');
const analytics = new Analytics({ writeKey: 'k', endpoint: process.env.ENDPOINT, flushAt: 1 });
test('an app tracks', () => {
  for (let i = 0; i < 6; i++) analytics.track({ userId: 'u1', event: 'Signed Up' });
});
`;

/** When it has printed its line, its message is waiting and it listens for signals. */
const WAITS = `
const { Analytics } = require('eventferry');
const analytics = new Analytics({ writeKey: 'k', endpoint: 'http://127.0.0.1:1', closeOnSignal: true });
test('an app waits', async () => {
  analytics.track({ userId: 'u1', event: 'Signed Up' });
  await new Promise((resolve) => setTimeout(resolve, 10));
  require('node:fs').writeSync(1, process.listenerCount('SIGTERM') + ' waits');
  await new Promise((resolve) => setTimeout(resolve, 60_000));
}, 60_000);
`;

/** By this time, a client that was not closed loads undici. */
const LATER = 'module.exports = () => new Promise((resolve) => setTimeout(resolve, 1_000));';

test('Jest with default settings delivers with both builds, and prints no warning afterwards', async () => {
  const folder = await freshFolder(
    {
      'commonjs.test.js': `const { Analytics } = require('eventferry');${SENDS}`,
      'module.test.mjs': `import { Analytics } from 'eventferry';${SENDS}`,
      'destination.test.mjs': DELIVERS,
      'forgetful.test.js': FORGETS,
      'waiting.test.js': WAITS,
      'later.cjs': LATER,
    },
    ['jest@30.5.2', 'lmdb@3'],
  );
  const runs = await Promise.all([
    jest(folder, ['commonjs']),
    jest(folder, ['module', 'destination'], { NODE_OPTIONS: '--experimental-vm-modules' }),
    jest(folder, ['forgetful', '--globalTeardown', './later.cjs']),
  ]);
  expect(runs).toEqual([
    { tests: 2, delivered: 12 },
    { tests: 3, delivered: 12 },
    { tests: 1, delivered: expect.any(Number) },
  ]);
  expect(await jest(folder, ['forgetful', '--detectOpenHandles'])).toMatchObject({ tests: 1 });
  // Jest's sandbox has a copy of the process whose listeners receive no signals, so none of them may keep Jest from ending.
  const waiting = folder.bin('jest', ['waiting', '--runInBand']);
  await waiting.printed('1 waits');
  waiting.child.kill('SIGTERM');
  expect(await waiting.ended).toMatchObject({ signal: 'SIGTERM' });
});

/**
 * Runs Jest, expects that it succeeds without further output, and returns how many tests passed and how many messages arrived.
 */
async function jest(folder: FreshFolder, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { url, messages } = await sink();
  const { code, stderr } = await folder.bin('jest', args, { ENDPOINT: url, ...env }).ended;
  expect(code, stderr).toBe(0);
  expect(stderr).not.toMatch(/torn down|did not exit|failed to exit|open handle|(?<!Experimental)Warning/);
  return { tests: Number(/^Tests: +(\d+) passed, \1 total$/m.exec(stderr)?.[1]), delivered: messages.length };
}
