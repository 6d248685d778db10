import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { client, track } from '../../support/client.js';
import { bytesOf } from '../../support/loopback.js';
import { transports, transportTo } from '../../support/transports.js';

/** A collector on a unix socket, and the requests that it got. */
async function socketCollector() {
  const folder = mkdtempSync(join(tmpdir(), 'eventferry-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const socketPath = join(folder, 'events.sock');
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer(async (request, response) => {
    requests.push(`${request.headers.host} ${request.url}`);
    sockets.add(request.socket);
    await bytesOf(request);
    response.end('{"success":true}');
  });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { socketPath, requests, sockets };
}

describe.each(transports)('%s', (_, createTransport) => {
  test('a collector on a unix socket gets its requests over one connection', async () => {
    const { socketPath, requests, sockets } = await socketCollector();
    const { send, transport } = await transportTo(createTransport, { endpoint: `unix:${socketPath}:/base` });
    for (let i = 0; i < 5; i++) expect((await send()).status).toBe(200);
    expect(requests).toEqual(Array(5).fill('localhost /base/v1/batch'));
    expect(sockets.size).toBe(1);
    transport.destroy();
    await expect.poll(() => [...sockets].every(({ destroyed }) => destroyed)).toBe(true);
  });

  test('a unix socket on which no process listens gives no response', async () => {
    const { send } = await transportTo(createTransport, { endpoint: `unix:${join(tmpdir(), 'nobody-listens.sock')}` });
    await expect(send()).rejects.toThrow('ENOENT');
  });
});

test('a client delivers to a collector on a unix socket', async () => {
  const { socketPath, requests } = await socketCollector();
  const { analytics } = client({ endpoint: `unix:${socketPath}`, flushAt: 1 });
  for (let i = 0; i < 5; i++) await analytics.track(track()).delivered;
  expect(requests).toEqual(Array(5).fill('localhost /v1/batch'));
});

test.each(['unix:', 'unix:events.sock', 'unix:/run/events.sock:base', 'unix:/run/events.sock:/base?a=1'])(
  'the endpoint %s is refused',
  (endpoint) => {
    expect(() => client({ endpoint })).toThrow(/^Expected `endpoint` to be .*unix:/);
  },
);
