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
  const origin = await serve(async (request, response) => {
    await bytesOf(request);
    response.end('from node:http');
  });
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
  const transport = defaultTransport(
    { origin, concurrency: 1, requestTimeout: 10_000, clock: new FakeClock() },
    loadUndici,
  );
  onTestFinished(() => transport.destroy());
  const send = () => transport.send(new AbortableRequest(`${origin}/`, {}, body));
  return { transport, rest, send };
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

test('node:http stays in use if undici cannot be loaded', async () => {
  const { send, rest } = await setUp(() => Promise.reject(new Error('Cannot find package undici')));
  for (let i = 0; i < 6; i++) expect((await send()).body).toBe('from node:http');
  expect(rest.loaded).toBe(1);
});

test.each([
  ['from the first request on', 0],
  ['once undici is in use', 4],
])('a collector that sends an unrequested 100 Continue gets each request once: %s', async (_, from) => {
  let requests = 0;
  const origin = await serve(async (request, response) => {
    if (++requests > from) response.writeContinue();
    await bytesOf(request);
    response.end(String(requests));
  });
  let loading: Promise<HttpTransport> | undefined;
  const load = (...options: Parameters<typeof undiciTransport>) => (loading = undiciTransport(...options));
  const options = { origin, concurrency: 1, requestTimeout: 10_000, clock: new FakeClock() };
  const transport = defaultTransport(options, load);
  onTestFinished(() => transport.destroy());
  for (let i = 1; i <= 8; i++) {
    if (i === 5) await loading;
    expect((await transport.send(new AbortableRequest(`${origin}/`, {}, body))).body).toBe(String(i));
  }
});

test('under Jest undici is not loaded, because the test may have ended by then', async () => {
  vi.stubEnv('JEST_WORKER_ID', '1');
  onTestFinished(() => void vi.unstubAllEnvs());
  const { send, rest } = await setUp();
  for (let i = 0; i < 6; i++) expect((await send()).body).toBe('from node:http');
  expect(rest.loaded).toBe(0);
});

test('a closed client destroys a transport that is still being loaded', async () => {
  const { transport, send, rest } = await setUp();
  for (let i = 0; i < 3; i++) await send();
  const last = send();
  transport.destroy();
  await last.catch(() => {});
  await expect.poll(() => rest.destroyed).toBe(1);
});
