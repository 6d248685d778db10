import { expect, test } from 'vitest';
import { sink } from '../support/sink.js';
import { freshFolder } from './fresh-folder.js';

/** A web app that has loaded both builds and has a request in progress when it is told to end. */
const app = `
  import { createServer } from 'node:http';
  import { createRequire } from 'node:module';
  import { Analytics } from 'eventferry';

  const options = { writeKey: 'key', endpoint: process.env.ENDPOINT, closeOnSignal: true };
  const analytics = new Analytics(options);
  const copy = createRequire(import.meta.url)('eventferry');
  const inner = new copy.Analytics(options);
  inner.track({ userId: 'u1', event: 'of a package that uses CommonJS' });

  const server = createServer((request, response) => {
    analytics.track({ userId: 'u1', event: 'Request Started' });
    console.log('under way');
    const answer = () => {
      analytics.track({ userId: 'u1', event: 'Request Ended' });
      response.end('ok');
    };
    // The request is still served when the signal is heard.
    if (process.env.SHUTDOWN) process.once('SIGTERM', () => setTimeout(answer, 50));
  });
  if (process.env.SHUTDOWN) process[process.env.SHUTDOWN]('SIGTERM', () => server.close(() => console.log('server closed')));
  server.listen(0, '127.0.0.1', () => console.log('listening ' + server.address().port));
`;

async function endByASignal(env: Record<string, string>) {
  const collector = await sink();
  const folder = await freshFolder({ 'app.mjs': app });
  const { child, ended, printed } = folder.node(['app.mjs'], { ENDPOINT: collector.url, ...env });
  let stdout = '';
  child.stdout?.on('data', (chunk) => {
    stdout += String(chunk);
  });
  await printed('listening');
  const answered = fetch(`http://127.0.0.1:${/listening (\d+)/.exec(stdout)?.[1]}`, {
    headers: { connection: 'close' },
  });
  const text = answered.then((response) => response.text()).catch(() => 'broken off');
  await printed('under way');
  child.kill('SIGTERM');
  const { code, signal, stderr } = await ended;
  const events = collector.messages.map((message) => 'event' in message && message.event).toSorted();
  return { code, signal, stderr, answer: await text, events };
}

test.each(['once', 'on'])(
  'an app that ends itself on SIGTERM with process.%s loses no event of requests in progress',
  async (how) => {
    expect(await endByASignal({ SHUTDOWN: how })).toEqual({
      code: 0,
      signal: null,
      stderr: '',
      answer: 'ok',
      events: ['Request Ended', 'Request Started', 'of a package that uses CommonJS'],
    });
  },
);

test('an app that does not listen for SIGTERM is ended by it after both builds have delivered their events', async () => {
  expect(await endByASignal({})).toEqual({
    code: null,
    signal: 'SIGTERM',
    stderr: '',
    answer: 'broken off',
    events: ['Request Started', 'of a package that uses CommonJS'],
  });
});
