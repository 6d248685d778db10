import type { Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { AbortableRequest } from '../../../src/client/transport/http-transport.js';
import { nodeTransport } from '../../../src/client/transport/node-transport.js';
import { FakeClock } from '../../support/fake-clock.js';
import { bytesOf, serve } from '../../support/loopback.js';

const body = new TextEncoder().encode('{}');

function transportTo(url: string) {
  const { origin } = new URL(url);
  const transport = nodeTransport({ origin, concurrency: 1, requestTimeout: 10_000, clock: new FakeClock() });
  onTestFinished(() => transport.destroy());
  return { transport, send: () => transport.send(new AbortableRequest(`${url}/`, {}, body)) };
}

test('requests share a connection, and none is open after the transport was destroyed', async () => {
  const sockets = new Set<Socket>();
  const url = await serve(async (request, response) => {
    sockets.add(request.socket);
    await bytesOf(request);
    response.end('{}');
  });
  const { transport, send } = transportTo(url);
  await send();
  await send();
  expect(sockets.size).toBe(1);
  transport.destroy();
  await expect.poll(() => [...sockets].every(({ destroyed }) => destroyed)).toBe(true);
});
