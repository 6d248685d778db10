import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Feed } from '../../../src/dashboard/server/feed.js';
import { streamFeed } from '../../../src/dashboard/server/stream.js';

const hello = { epoch: 'e1', capacity: 10, version: '1.0.0', snippet: [], isForwarding: true };

test('stream that ended while its reader was slow gets no more writes', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const feed = new Feed();
  // Without a connection nothing gets away, as when nobody reads.
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  const errors: Error[] = [];
  response.on('error', (error) => errors.push(error));
  streamFeed(feed, response, hello, 0);
  response.end();
  feed.add({ kind: 'rejected', receivedAt: '', source: '', code: '', reason: '', raw: '', client: '' });
  await vi.advanceTimersByTimeAsync(20_000);
  expect(errors).toEqual([]);
});
