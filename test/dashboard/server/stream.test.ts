import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { listenOn } from '../../../src/cli/listen/listen-on.js';
import { Feed } from '../../../src/dashboard/server/live-feed.js';
import { streamFeed } from '../../../src/dashboard/server/stream.js';

const about = { snippet: [], isForwarding: true };

test('a stream that ended while its reader was slow is not written to any more', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const feed = new Feed();
  // A response without a connection keeps what is written to it, as if its reader read nothing.
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  const errors: Error[] = [];
  response.on('error', (error) => errors.push(error));
  streamFeed(feed, request, response, about);
  response.end();
  feed.add({ kind: 'rejected', receivedAt: '', source: '', code: '', reason: '', raw: '', client: '' });
  await vi.advanceTimersByTimeAsync(20_000);
  expect(errors).toEqual([]);
});

test('the stream of one source contains only its entries', async () => {
  const feed = new Feed();
  const server = createServer((request, response) => streamFeed(feed, request, response, about));
  const port = await listenOn(server, { port: 0, host: '127.0.0.1' });
  onTestFinished(() => void server.close());
  const rejected = { kind: 'rejected', receivedAt: '', code: '', reason: '', raw: '', client: '' } as const;
  for (let number = 0; number < 300; number++) feed.add({ ...rejected, source: 'app' });
  feed.add({ ...rejected, source: 'shop', code: 'the only one' });
  const { body } = await fetch(`http://127.0.0.1:${port}/?source=shop`);
  let text = '';
  for await (const chunk of body ?? []) {
    text += Buffer.from(chunk).toString();
    if (text.includes('the only one')) break;
  }
  expect(text).not.toContain('"source":"app"');
  expect(text).toContain(`id: ${feed.epoch}:301`);
});
