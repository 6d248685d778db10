import type { Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { defaultTransport } from '../../../src/client/transport/default-transport.js';
import { AbortableRequest, type HttpTransport } from '../../../src/client/transport/http-transport.js';
import { undiciTransport } from '../../../src/client/transport/undici-transport.js';
import { FakeClock } from '../../support/fake-clock.js';
import { bytesOf, serve } from '../../support/loopback.js';

const body = new TextEncoder().encode('{}');
const answer = { status: 200, headers: {}, body: 'from undici' };

/** A client's transport to a collector that responds, with another transport in place of undici. */
async function setUp(load?: () => Promise<HttpTransport>) {
  const sockets = new Set<Socket>();
  const origin = await serve(async (request, response) => {
    sockets.add(request.socket);
    await bytesOf(request);
    response.end('from node:http');
  });
  const clock = new FakeClock();
  const rest = { loaded: 0, sent: 0, destroyed: 0 };
  const undici: HttpTransport = {
    send: async () => {
      rest.sent++;
      return answer;
    },
    destroy: () => rest.destroyed++,
  };
  const loadUndici = async (): Promise<HttpTransport> => {
    rest.loaded++;
    return load === undefined ? undici : load();
  };
  const transport = defaultTransport({ origin, concurrency: 1, requestTimeout: 10_000, clock }, loadUndici);
  onTestFinished(() => transport.destroy());
  const send = () => transport.send(new AbortableRequest(`${origin}/`, {}, body));
  return { transport, clock, rest, send, sockets };
}

test('a few requests use node:http, and undici is not loaded for them', async () => {
  const { send, rest } = await setUp();
  for (let i = 0; i < 3; i++) expect((await send()).body).toBe('from node:http');
  expect(rest.loaded).toBe(0);
});

test('undici is loaded with the next request, once, and no request waits for it', async () => {
  let finish = (_: HttpTransport): void => {};
  const { send, rest } = await setUp(() => new Promise((resolve) => (finish = resolve)));
  for (let i = 0; i < 6; i++) expect((await send()).body).toBe('from node:http');
  expect(rest.loaded).toBe(1);
  finish({ send: async () => answer, destroy() {} });
  await expect.poll(async () => (await send()).body).toBe('from undici');
});

test('undici is loaded without a request if the process lives longer than a short script', async () => {
  const { clock, rest, send } = await setUp();
  clock.advance(499);
  expect(rest.loaded).toBe(0);
  clock.advance(1);
  expect(rest.loaded).toBe(1);
  await expect.poll(async () => (await send()).body).toBe('from undici');
});

test('the connections of node:http are closed once undici is loaded', async () => {
  const { clock, send, sockets } = await setUp();
  await send();
  clock.advance(500);
  await expect.poll(() => [...sockets].every(({ destroyed }) => destroyed)).toBe(true);
});

test('node:http stays in use if undici cannot be loaded', async () => {
  const { clock, send, rest } = await setUp(() => Promise.reject(new Error('Cannot find package undici')));
  clock.advance(500);
  for (let i = 0; i < 6; i++) expect((await send()).body).toBe('from node:http');
  expect(rest.loaded).toBe(1);
});

test.each([
  ['from the first request on', 0],
  ['once undici is in use', 3],
])('a collector that sends an unrequested 100 Continue gets each request once: %s', async (_, from) => {
  let requests = 0;
  const origin = await serve(async (request, response) => {
    if (++requests > from) response.writeContinue();
    await bytesOf(request);
    response.end(String(requests));
  });
  const clock = new FakeClock();
  let loading: Promise<HttpTransport> | undefined;
  const load = (...options: Parameters<typeof undiciTransport>) => (loading = undiciTransport(...options));
  const transport = defaultTransport({ origin, concurrency: 1, requestTimeout: 10_000, clock }, load);
  onTestFinished(() => transport.destroy());
  clock.advance(500);
  await loading;
  for (let i = 1; i <= 6; i++) {
    expect((await transport.send(new AbortableRequest(`${origin}/`, {}, body))).body).toBe(String(i));
  }
});

test('under Jest undici is not loaded, because the test may have ended by then', async () => {
  vi.stubEnv('JEST_WORKER_ID', '1');
  onTestFinished(() => void vi.unstubAllEnvs());
  const { clock, send, rest } = await setUp();
  clock.advance(500);
  for (let i = 0; i < 6; i++) expect((await send()).body).toBe('from node:http');
  expect(rest.loaded).toBe(0);
});

test('a closed client loads nothing more, and destroys a transport that is still being loaded', async () => {
  const early = await setUp();
  early.transport.destroy();
  early.clock.advance(500);
  expect(early.rest.loaded).toBe(0);

  const late = await setUp();
  late.clock.advance(500);
  late.transport.destroy();
  await expect.poll(() => late.rest.destroyed).toBe(1);
});
