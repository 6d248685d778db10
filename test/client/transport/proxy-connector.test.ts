import type { Socket } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ConnectionError } from '../../../src/base/errors/errors.js';
import { createAuthority } from '../../support/certificates.js';
import { freePort } from '../../support/free-port.js';
import { bytesOf, serve } from '../../support/loopback.js';
import { startProxy } from '../../support/proxy.js';
import { secureCollector } from '../../support/secure-collector.js';
import { transports, transportTo } from '../../support/transports.js';

/** An http collector, and the requests that it got. */
async function plainCollector() {
  const requests: { url: string | undefined; headers: NodeJS.Dict<string | string[]> }[] = [];
  const url = await serve(async (request, response) => {
    requests.push({ url: request.url, headers: request.headers });
    await bytesOf(request);
    response.end('{"success":true}');
  });
  return { url, host: new URL(url).host, requests };
}

const withCredentials = (url: string, credentials: string): string => url.replace('://', `://${credentials}@`);

const failureOf = (sent: Promise<unknown>): Promise<Error> =>
  sent.then(
    () => Promise.reject(new Error('It was sent')),
    (error) => error,
  );

describe.each(transports)('%s', (_, createTransport) => {
  test('an http collector behind a proxy gets its requests over one connection', async () => {
    const { url, host, requests } = await plainCollector();
    const proxy = await startProxy();
    const { send } = await transportTo(createTransport, { endpoint: `${url}/base`, proxy: proxy.url });
    for (let i = 0; i < 5; i++) expect(await send()).toMatchObject({ status: 200, body: '{"success":true}' });
    expect(proxy.asked).toEqual(Array(5).fill(`POST ${url}/base/v1/batch`));
    expect(proxy.sockets.size).toBe(1);
    expect(requests[4]).toMatchObject({ url: '/base/v1/batch', headers: { host, 'x-test': '1' } });
  });

  test('an http collector gets requests through a proxy that accepts the credentials in its URL', async () => {
    const { url, requests } = await plainCollector();
    const proxy = await startProxy({ credentials: 'us:er:pässword' });
    const credentials = 'us%3Aer:p%C3%A4ssword';
    const { send } = await transportTo(createTransport, {
      endpoint: url,
      proxy: withCredentials(proxy.url, credentials),
    });
    for (let i = 0; i < 5; i++) expect((await send()).status).toBe(200);
    expect(requests).toHaveLength(5);
  });

  test('an http collector gets requests through an https proxy', async () => {
    const { url, requests } = await plainCollector();
    const certificate = createAuthority().sign('IP:127.0.0.1');
    const proxy = await startProxy({ certificate });
    const { send } = await transportTo(createTransport, { endpoint: url, proxy: proxy.url });
    expect((await failureOf(send())).message).toMatch(`The proxy ${proxy.host} could not be reached: `);
    expect(requests).toHaveLength(0);
  });

  test('an http collector gets no request through a proxy that requires credentials, and the error says so', async () => {
    const { url, requests } = await plainCollector();
    const proxy = await startProxy({ credentials: 'user:secret' });
    const { send } = await transportTo(createTransport, { endpoint: url, proxy: proxy.url });
    const error = await failureOf(send());
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toBe(
      `The proxy ${proxy.host} asks for credentials (407): put them into its URL, as in http://user:password@${proxy.host}`,
    );
    expect(requests).toHaveLength(0);
  });

  test('an http collector gets no request through a proxy that refuses the credentials, and the error does not show them', async () => {
    const { url } = await plainCollector();
    const proxy = await startProxy({ credentials: 'user:secret' });
    const { send } = await transportTo(createTransport, {
      endpoint: url,
      proxy: withCredentials(proxy.url, 'user:wrong'),
    });
    expect((await failureOf(send())).message).toBe(`The proxy ${proxy.host} refused the credentials in its URL (407)`);
  });

  test('an http collector gets no request through a proxy that is not running', async () => {
    const { url } = await plainCollector();
    const host = `127.0.0.1:${await freePort()}`;
    const { send } = await transportTo(createTransport, { endpoint: url, proxy: `http://user:secret@${host}` });
    const error = await failureOf(send());
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toBe(`The proxy ${host} could not be reached: ECONNREFUSED`);
  });

  async function behindProxy(behaviour: Parameters<typeof startProxy>[0] = {}, credentials?: string) {
    const authority = createAuthority();
    const collector = await secureCollector({ ...authority.sign('IP:127.0.0.1') });
    const proxy = await startProxy(behaviour);
    const url = credentials === undefined ? proxy.url : withCredentials(proxy.url, credentials);
    const tls = { ca: authority.cert };
    const { send, clock, transport } = await transportTo(createTransport, {
      endpoint: collector.url,
      proxy: url,
      tls,
    });
    return { collector, proxy, send, clock, transport, target: `127.0.0.1:${collector.port}` };
  }

  test('an https collector behind a proxy gets its requests through one tunnel', async () => {
    const { collector, proxy, send, target } = await behindProxy();
    for (let i = 0; i < 5; i++) expect(await send()).toMatchObject({ status: 200, body: '{"success":true}' });
    expect(proxy.asked).toEqual([`CONNECT ${target}`]);
    expect(collector.clients.size).toBe(1);
    expect(collector.requests()).toBe(5);
  });

  test('an https collector gets requests through a proxy that accepts the credentials in its URL', async () => {
    const { collector, send } = await behindProxy({ credentials: 'user:p@ss' }, 'user:p%40ss');
    for (let i = 0; i < 5; i++) expect((await send()).status).toBe(200);
    expect(collector.requests()).toBe(5);
  });

  test('an https collector behind a proxy gets a new tunnel if the idle one was closed', async () => {
    const { collector, proxy, send } = await behindProxy();
    await send();
    for (const socket of proxy.sockets) socket.resetAndDestroy();
    expect((await send()).status).toBe(200);
    expect(proxy.asked).toHaveLength(2);
    expect(collector.requests()).toBe(2);
  });

  test('an https collector gets no request through a proxy that requires credentials, and the error says so', async () => {
    const { collector, proxy, send } = await behindProxy({ credentials: 'user:secret' });
    const error = await failureOf(send());
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toMatch(`The proxy ${proxy.host} asks for credentials (407): put them into its URL`);
    expect(collector.requests()).toBe(0);
    await expect.poll(() => proxy.sockets.size).toBe(0);
  });

  test('an https collector gets no request through a proxy that refuses the credentials', async () => {
    const { proxy, send } = await behindProxy({ credentials: 'user:secret' }, 'user:wrong');
    expect((await failureOf(send())).message).toBe(`The proxy ${proxy.host} refused the credentials in its URL (407)`);
  });

  test.each([403, 502])('an https collector gets no request through a proxy that responds with %i', async (status) => {
    const { proxy, send, target } = await behindProxy({ status });
    expect((await failureOf(send())).message).toBe(
      `The proxy ${proxy.host} answered ${status} when asked for a tunnel to ${target}`,
    );
    await expect.poll(() => proxy.sockets.size).toBe(0);
  });

  test('an https collector gets no request through a proxy that closes the connection', async () => {
    const { proxy, send } = await behindProxy({ onConnect: (socket) => socket.destroy() });
    expect((await failureOf(send())).message).toBe(`The proxy ${proxy.host} gave no tunnel: ECONNRESET`);
  });

  test('an https collector gets no request through a proxy that does not respond in time', async () => {
    let wasAsked = (): void => {};
    const asked = new Promise<void>((resolve) => (wasAsked = resolve));
    const { proxy, send, clock } = await behindProxy({ onConnect: () => wasAsked() });
    const failure = failureOf(send());
    await asked;
    clock.advance(10_000);
    expect((await failure).message).toBe(`The proxy ${proxy.host} opened no connection within 10000 ms`);
    await expect.poll(() => proxy.sockets.size).toBe(0);
  });

  test('an https collector gets requests again after a failure of its proxy', async () => {
    const sockets: Socket[] = [];
    const behaviour = { onConnect: (socket: Socket) => void sockets.push(socket.destroy()) };
    const { send, collector } = await behindProxy(behaviour);
    await failureOf(send());
    await failureOf(send());
    expect(sockets).toHaveLength(2);
    expect(collector.requests()).toBe(0);
  });

  test('an https collector behind a proxy gets no request if its certificate is for another name', async () => {
    const authority = createAuthority();
    const collector = await secureCollector({ ...authority.sign('DNS:collector.test') });
    const proxy = await startProxy();
    const route = { endpoint: collector.url, proxy: proxy.url };
    const wrong = await transportTo(createTransport, { ...route, tls: { ca: authority.cert } });
    expect((await failureOf(wrong.send())).message).toMatch("IP: 127.0.0.1 is not in the cert's list");
    expect((await failureOf(wrong.send())).message).toMatch("IP: 127.0.0.1 is not in the cert's list");
    const right = await transportTo(createTransport, {
      ...route,
      tls: { ca: authority.cert, servername: 'collector.test' },
    });
    expect((await right.send()).status).toBe(200);
  });

  test('destroying the transport closes all connections through a proxy: idle, in use or being opened', async () => {
    const { proxy, send, transport } = await behindProxy();
    await send();
    expect(proxy.sockets.size).toBe(1);
    transport.destroy();
    await expect.poll(() => proxy.sockets.size).toBe(0);

    let wasAsked = (): void => {};
    const asked = new Promise<void>((resolve) => (wasAsked = resolve));
    const hanging = await behindProxy({ onConnect: () => wasAsked() });
    const failure = failureOf(hanging.send());
    await asked;
    hanging.transport.destroy();
    await failure;
    await expect.poll(() => hanging.proxy.sockets.size).toBe(0);
  });
});

test('a connection leaves nothing in a signal that lives as long as its client, because Node 20 would never free it', async () => {
  const { url } = await plainCollector();
  const proxy = await startProxy();
  const joined = vi.spyOn(AbortSignal, 'any');
  onTestFinished(() => joined.mockRestore());
  for (const [, createTransport] of transports) {
    const { send } = await transportTo(createTransport, { endpoint: url, proxy: proxy.url });
    expect((await send()).status).toBe(200);
  }
  expect(proxy.sockets.size).toBe(transports.length);
  expect(joined).toHaveBeenCalledTimes(0);
});
