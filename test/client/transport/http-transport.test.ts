import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  AbortableRequest,
  type HttpTransport,
  type HttpTransportOptions,
} from '../../../src/client/transport/http-transport.js';
import { nodeTransport } from '../../../src/client/transport/node-transport.js';
import { undiciTransport } from '../../../src/client/transport/undici-transport.js';
import { FakeClock } from '../../support/fake-clock.js';
import { bytesOf, serve } from '../../support/loopback.js';
import { answerWith, interimAnswers, rawServer, writePieces } from '../../support/raw-server.js';

const body = new TextEncoder().encode('{"a":"€"}');

const optionsFor = (url: string): HttpTransportOptions => ({
  origin: new URL(url).origin,
  concurrency: 1,
  requestTimeout: 10_000,
  clock: new FakeClock(),
});

const transports: [string, (options: HttpTransportOptions) => HttpTransport | Promise<HttpTransport>][] = [
  ['node:http', nodeTransport],
  ['undici', (options) => undiciTransport(options, nodeTransport(options).send)],
];

/** Closes the connection of its first response in the given way, and sets `closed`. Runs in a thread that is not blocked. */
const CLOSING = `
  const { parentPort, workerData: { closed, close } } = require('node:worker_threads');
  const ways = {
    'ended and then reset': (socket, done) => socket.end(() => done(socket.resetAndDestroy())),
    reset: (socket, done) => done(socket.resetAndDestroy()),
    ended: (socket, done) => socket.end(done),
  };
  let requests = 0;
  const server = require('node:http').createServer((request, response) => {
    const { socket } = request;
    request.resume().on('end', () => response.end('{}'));
    if (++requests > 1) return;
    response.on('finish', () => setImmediate(() => ways[close](socket, () => {
      Atomics.store(closed, 0, 1);
      Atomics.notify(closed, 0);
    })));
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

describe.each(transports)('%s', (_, createTransport) => {
  async function transportTo(url: string): Promise<HttpTransport> {
    const transport = await createTransport(optionsFor(url));
    onTestFinished(() => transport.destroy());
    return transport;
  }

  async function post(url: string, request = new AbortableRequest(url, { 'X-Test': '1' }, body)) {
    const transport = await transportTo(url);
    return transport.send(request);
  }

  test('a POST is sent with its headers and bytes, and the response is returned', async () => {
    const url = await serve(async (request, response) => {
      const echoed = {
        method: request.method,
        url: request.url,
        test: request.headers['x-test'],
        body: String(await bytesOf(request)),
      };
      response.writeHead(201, { 'Retry-After': '7' }).end(JSON.stringify(echoed));
    });
    const answer = await post(`${url}/prefix/v1/batch`);
    expect(answer).toMatchObject({ status: 201, headers: { 'retry-after': '7' } });
    expect(JSON.parse(answer.body ?? '')).toEqual({
      method: 'POST',
      url: '/prefix/v1/batch',
      test: '1',
      body: '{"a":"€"}',
    });
  });

  test('successive requests share one connection', async () => {
    const sockets = new Set<Socket>();
    const url = await serve(async (request, response) => {
      sockets.add(request.socket);
      await bytesOf(request);
      response.end('{}');
    });
    const transport = await transportTo(url);
    for (let i = 0; i < 5; i++) await transport.send(new AbortableRequest(`${url}/`, {}, body));
    expect(sockets.size).toBe(1);
  });

  test.each(interimAnswers)('only the final response counts, after any interim ones: %s', async (_, pieces) => {
    const server = await rawServer((socket) => writePieces(socket, pieces, answerWith('{"success":true}')));
    const transport = await transportTo(server.url);
    for (let i = 0; i < 3; i++) {
      const answer = await transport.send(new AbortableRequest(`${server.url}/`, {}, body));
      expect(answer).toMatchObject({ status: 200, body: '{"success":true}' });
    }
    expect([server.bodies.length, server.connections()]).toEqual([3, 1]);
  });

  const list = '{"rejected":[]}';

  test.each([
    ['gzip', gzipSync(list)],
    ['GZIP', gzipSync(list)],
    ['deflate', deflateSync(list)],
    ['br', brotliCompressSync(list)],
    ['x-gzip', gzipSync(list)],
    ['identity', Buffer.from(list)],
    ['gzip, identity', gzipSync(list)],
    ['deflate,gzip', gzipSync(deflateSync(list))],
    [['deflate', 'gzip'], gzipSync(deflateSync(list))],
    ['utf-8', Buffer.from(list)],
    ['constructor', Buffer.from(list)],
    ['gzip', Buffer.from(list)],
  ])('a response is decoded by its declared encoding, or read as the text that it is: %s', async (encoding, bytes) => {
    const url = await serve((_, response) => response.writeHead(200, { 'Content-Encoding': encoding }).end(bytes));
    expect(await post(`${url}/`)).toMatchObject({ status: 200, body: list, truncated: false });
  });

  test.each([
    ['zstd', gzipSync(list)],
    ['gzip, zstd', gzipSync(list)],
    ['gzip, gzip', gzipSync(list)],
    ['constructor', gzipSync(list)],
    ['identity', gzipSync(list)],
    ['identity', Buffer.from(`\ufeff${list}`, 'utf16le')],
    ['gzip', gzipSync(list).subarray(0, 20)],
    ['gzip', Buffer.from('garbage')],
    ['gzip', Buffer.from(Buffer.from(list).toString('base64'))],
    ['aes128gcm', Buffer.from(Buffer.from(list).toString('hex'))],
    ['gzip', gzipSync(Buffer.alloc(9 * 1_048_576))],
  ])('a response that cannot be decoded counts as truncated: %s', async (encoding, bytes) => {
    const url = await serve((_, response) => response.writeHead(200, { 'Content-Encoding': encoding }).end(bytes));
    expect(await post(`${url}/`)).toMatchObject({ status: 200, truncated: true });
  });

  test('an empty response is valid in any encoding', async () => {
    const url = await serve((_, response) => response.writeHead(200, { 'Content-Encoding': 'gzip' }).end());
    expect(await post(`${url}/`)).toMatchObject({ status: 200, body: '', truncated: false });
  });

  test('the body of a response may look like a 100 Continue', async () => {
    const text = 'HTTP/1.1 100 Continue\r\n\r\nand so on';
    const head = `HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n`;
    const { url } = await rawServer((socket) => writePieces(socket, [head], text));
    expect((await post(`${url}/`)).body).toBe(text);
  });

  test('a new connection that is reset gives no response', async () => {
    let requests = 0;
    const url = await serve((request) => {
      requests++;
      request.socket.resetAndDestroy();
    });
    await expect(post(`${url}/`)).rejects.toThrow();
    expect(requests).toBe(1);
  });

  test('a new connection that is reset gives no response, even if an earlier one gave a response', async () => {
    let requests = 0;
    const url = await serve(async (request, response) => {
      if (++requests > 1) return void request.socket.resetAndDestroy();
      await bytesOf(request);
      response.writeHead(200, { Connection: 'close' }).end('{}');
    });
    const transport = await transportTo(url);
    const send = () => transport.send(new AbortableRequest(`${url}/`, {}, body));
    await send();
    await expect(send()).rejects.toThrow();
    expect(requests).toBe(2);
  });

  test.each([301, 302, 307, 308])('a redirect with %i is returned and not followed', async (status) => {
    let requests = 0;
    const url = await serve((_, response) => {
      requests++;
      response.writeHead(status, { Location: '/elsewhere' }).end();
    });
    expect((await post(`${url}/`)).status).toBe(status);
    expect(requests).toBe(1);
  });

  test('there is no response if no process listens', async () => {
    await expect(post('http://127.0.0.1:1/')).rejects.toThrow();
  });

  test('there is no response if the connection is reset before it', async () => {
    const url = await serve((request) => request.socket.resetAndDestroy());
    await expect(post(`${url}/`)).rejects.toThrow();
  });

  test('there is no response if the connection ends in the middle of it', async () => {
    const url = await serve((_, response) => {
      response.writeHead(200, { 'Content-Length': '100' });
      response.write('{"success"', () => response.destroy());
    });
    await expect(post(`${url}/`)).rejects.toThrow();
  });

  test('there is no response if the request is aborted', async () => {
    const url = await serve(() => request.abort(new Error('given up')));
    const request = new AbortableRequest(`${url}/`, {}, body);
    await expect(post(`${url}/`, request)).rejects.toThrow('given up');
  });

  test('there is no response if the request is aborted before it begins, and nothing is sent', async () => {
    let requests = 0;
    const url = await serve(() => requests++);
    const request = new AbortableRequest(`${url}/`, {}, body);
    request.abort(new Error('given up'));
    await expect(post(`${url}/`, request)).rejects.toThrow('given up');
    expect(requests).toBe(0);
  });

  test('an endless response is read up to 8 MiB and counts as truncated', async () => {
    const url = await serve((request, response) => {
      request.resume();
      const pour = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.on('drain', pour);
      pour();
    });
    const { status, body: text = '', truncated } = await post(`${url}/`);
    expect({ status, truncated }).toEqual({ status: 200, truncated: true });
    expect(text.length).toBeGreaterThan(8_000_000);
    expect(text.length).toBeLessThanOrEqual(8 * 1_048_576);
  });

  test('as many requests run at once as the transport has connections', async () => {
    let most = 0;
    const held: ServerResponse[] = [];
    const url = await serve(async (request, response) => {
      most = Math.max(most, held.push(response));
      await bytesOf(request);
      if (held.length === 2) for (const each of held.splice(0)) each.end('{}');
    });
    const transport = await createTransport({ ...optionsFor(url), concurrency: 2 });
    onTestFinished(() => transport.destroy());
    await Promise.all(Array.from({ length: 8 }, () => transport.send(new AbortableRequest(`${url}/`, {}, body))));
    expect(most).toBe(2);
  });

  test('a request that is being sent when its transport is destroyed gets no response', async () => {
    const url = await serve(() => transport.destroy());
    const transport = await transportTo(url);
    await expect(transport.send(new AbortableRequest(`${url}/`, {}, body))).rejects.toThrow();
  });

  test('destroying a transport ends a running request on a reused connection', async () => {
    let requests = 0;
    const url = await serve(async (request, response) => {
      requests++;
      await bytesOf(request);
      if (requests === 1) response.end('{}');
      else transport.destroy();
    });
    const transport = await transportTo(url);
    await transport.send(new AbortableRequest(`${url}/`, {}, body));
    await expect(transport.send(new AbortableRequest(`${url}/`, {}, body))).rejects.toThrow();
    expect(requests).toBe(2);
  });

  test('a server may close a connection after a response without notice', async () => {
    const used = new Set<Socket>();
    let cut = 0;
    const url = await serve(async (request, response) => {
      const { socket } = request;
      if (used.has(socket)) {
        cut++;
        socket.resetAndDestroy();
        return;
      }
      used.add(socket);
      await bytesOf(request);
      response.end('{}');
    });
    const transport = await transportTo(url);
    for (let i = 0; i < 3; i++)
      expect((await transport.send(new AbortableRequest(`${url}/`, {}, body))).status).toBe(200);
    expect([used.size, cut]).toEqual([3, 2]);
  });

  test('a response that breaks off on a reused connection is not requested again', async () => {
    let requests = 0;
    const url = await serve(async (request, response) => {
      await bytesOf(request);
      if (++requests === 1) return void response.end('{}');
      response.writeHead(200, { 'Content-Length': '100' });
      response.write('{"success"', () => response.destroy());
    });
    const transport = await transportTo(url);
    await transport.send(new AbortableRequest(`${url}/`, {}, body));
    await expect(transport.send(new AbortableRequest(`${url}/`, {}, body))).rejects.toThrow();
    expect(requests).toBe(2);
  });

  test.each(['ended', 'reset', 'ended and then reset'])(
    'a request succeeds although its idle connection was %s unnoticed',
    async (close) => {
      const closed = new Int32Array(new SharedArrayBuffer(4));
      const server = new Worker(CLOSING, { eval: true, workerData: { closed, close } });
      onTestFinished(async () => void (await server.terminate()));
      const [port] = await once(server, 'message');
      const transport = await transportTo(`http://127.0.0.1:${port}`);
      const send = () => transport.send(new AbortableRequest(`http://127.0.0.1:${port}/`, {}, body));
      await send();
      // Nothing is read while this thread waits.
      Atomics.wait(closed, 0, 0);
      expect((await send()).status).toBe(200);
    },
  );
});

/** A collector that responds to each request on a new connection with these bytes, and counts the requests. */
async function answeringRaw(answer: string): Promise<{ url: string; requests: () => number }> {
  let requests = 0;
  const server = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      if (!chunk.includes('POST')) return;
      requests++;
      socket.write(answer);
    });
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, requests: () => requests };
}

describe.each(transports)('invalid responses, with %s', (_, createTransport) => {
  test('a response longer than its Content-Length is cut to that, and the request is not repeated', async () => {
    const { url, requests } = await answeringRaw('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}and more');
    const transport = await createTransport(optionsFor(url));
    onTestFinished(() => transport.destroy());
    for (let sent = 1; sent <= 3; sent++) {
      const { status, body: text } = await transport.send(new AbortableRequest(url, {}, body));
      expect({ status, text, requests: requests() }).toEqual({ status: 200, text: '{}', requests: sent });
    }
  });

  test.each([
    ['a 204 with a body and a Content-Length', 'HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\n{}', 204],
    [
      'a 204 with a chunked body',
      'HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
      204,
    ],
    ['a 204 with a body but no length', 'HTTP/1.1 204 No Content\r\n\r\n{}', 204],
    ['a 304 with a Content-Length', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 2\r\n\r\n', 304],
  ])('a response like %s is read without a body, and the request is not repeated', async (_, answer, expected) => {
    const { url, requests } = await answeringRaw(answer);
    const transport = await createTransport(optionsFor(url));
    onTestFinished(() => transport.destroy());
    for (let sent = 1; sent <= 6; sent++) {
      const { status, body: text } = await transport.send(new AbortableRequest(url, {}, body));
      expect({ status, text, requests: requests() }).toEqual({ status: expected, text: '', requests: sent });
    }
  });

  test('a response shorter than its Content-Length counts as no response', async () => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}'));
    });
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const transport = await createTransport(optionsFor(url));
    onTestFinished(() => transport.destroy());
    await expect(transport.send(new AbortableRequest(url, {}, body))).rejects.toThrow();
  });
});
