import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { Service } from '../../src/service/service.js';
import { memoryStorage } from '../../src/store/memory/memory-storage.js';
import { deferred } from '../collector/support.js';
import { listen } from '../scheduler/test-endpoint.js';
import { configOf, destinationOf, sendBatch, serving, track } from './support.js';

/** Sends requests on kept-alive connections, as most clients do. */
function keepingAlive(url: string): () => Promise<IncomingMessage> {
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  return async () => {
    const sent = request(`${url}/v1/batch`, { method: 'POST', agent, auth: 'dev:' }).end('{"batch":[]}');
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    await once(response.resume(), 'end');
    return response;
  };
}

test('a request that is on its way when the service closes is answered, with a closed connection', async () => {
  const { url, service } = await serving(configOf());
  const send = keepingAlive(url);
  await send();
  const [answer] = await Promise.all([send(), service.close()]);
  expect(answer).toMatchObject({ statusCode: 503, headers: { connection: 'close' } });
});

test('a request that arrived in time is answered even if the process was too busy to read it', async () => {
  const { url, service } = await serving(configOf());
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  let answers = '';
  socket.on('data', (chunk) => {
    answers += chunk;
  });
  const ask = () => socket.write('GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n');
  ask();
  await expect.poll(() => answers).toMatch(/^HTTP\/1\.1 200 /);
  // From here, timers run before anything is read.
  await turn();
  answers = '';
  const closed = service.close();
  await new Promise(process.nextTick);
  ask();
  const longerThanConnectionsStay = 300;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, longerThanConnectionsStay);
  await closed;
  await expect.poll(() => answers).toContain('HTTP/1.1 200 ');
});

test('if one store fails while closing, the others are still closed and the counts are written', async () => {
  const storage = memoryStorage();
  const [crm, ads] = [await storage.deliveries('crm'), await storage.deliveries('ads')];
  const slow = deferred();
  let isClosed = false;
  crm.flush = async () => {
    setImmediate(slow.resolve);
    throw new Error('disk error');
  };
  ads.flush = async () => {
    await slow.promise;
    isClosed = true;
  };
  const off = (name: string) => destinationOf('http://127.0.0.1:9/', { name, enabled: false });
  const service = await Service.open(configOf({ destinations: [off('crm'), off('ads')] }), { storage });
  const { url } = await service.listen();
  expect((await sendBatch(url, track('m1'))).status).toBe(200);
  await expect(service.close()).rejects.toThrow('disk error');
  expect(isClosed).toBe(true);
  expect(await storage.keyValues.list('counts/events/', undefined, 10)).toHaveLength(1);
});

test('a closing service completes running requests and refuses new ones', async () => {
  const storage = memoryStorage();
  const stored = deferred();
  const asked = deferred();
  const takeIn = storage.takeIn.bind(storage);
  storage.takeIn = async (...args) => {
    asked.resolve();
    await stored.promise;
    return takeIn(...args);
  };
  const { service, url } = await serving(configOf(), { storage });
  // The service is mounted in another server, whose connections it does not close.
  const mounted = `http://127.0.0.1:${await listen(createServer(service.handler))}`;
  const answer = sendBatch(url, track('m1'));
  await asked.promise;
  const closed = service.close();
  expect((await fetch(`${mounted}/readyz`)).status).toBe(503);
  expect((await sendBatch(mounted, track('m2'))).body).toMatchObject({ code: 'closing' });
  await expect(fetch(`${url}/readyz`)).rejects.toThrow();
  stored.resolve();
  expect((await answer).status).toBe(200);
  await closed;
});
