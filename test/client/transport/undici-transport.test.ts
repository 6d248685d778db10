import { expect, onTestFinished, test } from 'vitest';
import { AbortableRequest, type Send } from '../../../src/client/transport/http-transport.js';
import { undiciParts } from '../../../src/client/transport/undici-parts.js';
import { undiciTransport } from '../../../src/client/transport/undici-transport.js';
import { FakeClock } from '../../support/fake-clock.js';
import { bytesOf, serve } from '../../support/loopback.js';

const elsewhere: Send = async () => ({ status: 299 });

/** A transport whose connections fail with this error, and the number of requests that it sent. */
async function setUp(failWith?: () => Error) {
  let requests = 0;
  const origin = await serve(async (request, response) => {
    requests++;
    await bytesOf(request);
    response.end();
  });
  const parts = await undiciParts();
  const buildConnector: typeof parts.buildConnector = (options) => {
    const connect = parts.buildConnector(options);
    return failWith === undefined ? connect : (_, callback) => callback(failWith(), null);
  };
  const options = { origin, concurrency: 1, requestTimeout: 10_000, clock: new FakeClock() };
  const transport = await undiciTransport(options, elsewhere, async () => ({ ...parts, buildConnector }));
  onTestFinished(() => transport.destroy());
  const send = () => transport.send(new AbortableRequest(`${origin}/`, {}, new Uint8Array()));
  return { send, requests: () => requests };
}

test('undici sends the requests that it can send', async () => {
  const { send, requests } = await setUp();
  expect((await send()).status).toBe(200);
  expect(requests()).toBe(1);
});

test.each([
  ['ReferenceError', () => new ReferenceError('WebAssembly is not defined')],
  ['CompileError', () => Object.assign(new Error('Wasm code generation disallowed'), { name: 'CompileError' })],
  ['TypeError', () => new TypeError('x is not a function')],
])('a request that undici fails to begin is sent elsewhere: %s', async (_, error) => {
  const { send } = await setUp(error);
  expect((await send()).status).toBe(299);
});

test('a failed connection is not treated as a fault of undici', async () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  const { send } = await setUp(() => refused);
  await expect(send()).rejects.toBe(refused);
});
