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

test('a collector is plain once it has answered without 100 Continue, and nothing is known of it before', async () => {
  const url = await serve((request, response) => void request.resume().on('end', () => response.end('{}')));
  const { transport, send } = transportTo(url);
  expect(transport.isPlain).toBeUndefined();
  await send();
  expect(transport.isPlain).toBe(true);
});

test('a collector that begins with 100 Continue is not plain, and its answer counts', async () => {
  const url = await serve((request, response) => {
    response.writeContinue();
    request.resume().on('end', () => response.end('{}'));
  });
  const { transport, send } = transportTo(url);
  expect((await send()).status).toBe(200);
  expect(transport.isPlain).toBe(false);
});

test('a retired transport closes its idle connection, and opens another for the next request', async () => {
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
  transport.retire();
  expect((await send()).status).toBe(200);
  expect(sockets.size).toBe(2);
});
