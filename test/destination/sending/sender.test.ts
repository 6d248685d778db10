import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import * as undici from 'undici';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openPool } from '../../../src/base/http/connections.js';
import { classify, TIMEOUT_CODE } from '../../../src/delivery/attempt-outcome.js';
import { createNameLookup } from '../../../src/destination/network/name-lookup.js';
import type { Lookup } from '../../../src/destination/network/ssrf-guard.js';
import { Exchange } from '../../../src/destination/sending/exchange.js';
import { Sender } from '../../../src/destination/sending/sender.js';
import { resolveOptions } from '../../../src/destination/settings/destination-options.js';
import { startEndpoint } from '../../scheduler/test-endpoint.js';
import { createAuthority } from '../../support/certificates.js';
import { FakeClock, settled } from '../../support/fake-clock.js';
import { answerWith, interimAnswers, rawServer, writePieces } from '../../support/raw-server.js';
import { answering, firstAttempt } from '../first-attempt.js';
import { startNameServer } from '../name-server.js';
import { next, openDestination } from '../open.js';
import { track } from '../track.js';

describe('an answer', () => {
  test('an answer that does not come within the timeout leads to a retry', async () => {
    const endpoint = await startEndpoint(() => {});
    const { destination, clock } = await openDestination({ webhooks: [{ url: endpoint.url }] });
    const made = next(destination, 'attempt');
    await destination.deliver(track('m1'));
    await endpoint.has(1);
    await clock.pass(4_999);
    expect(destination.counters().attempts).toBe(0);
    await clock.pass(1);
    const { attempt, nextAttemptAt } = await made;
    expect(attempt).toMatchObject({ result: 'timeout', code: 'TIMEOUT', durationMs: 5_000 });
    expect(nextAttemptAt).toBe(clock.now() + 5_000);
  });

  test('the timeout of an answer includes the lookup of the name', async () => {
    let isAsked = (): void => {};
    const asked = new Promise<void>((resolve) => {
      isAsked = resolve;
    });
    const webhooks = [{ url: 'http://hook.example/', requestTimeout: 100 }];
    const { destination, clock } = await openDestination({ webhooks }, { lookup: () => isAsked() });
    const made = next(destination, 'attempt');
    await destination.deliver(track('m1'));
    await asked;
    await clock.pass(100);
    expect(destination.counters().attempts).toBe(1);
    expect((await made).attempt).toMatchObject({ result: 'timeout', code: 'DNS_TIMEOUT', durationMs: 100 });
  });

  test('a name server that does not answer has its own code, even if the resolver gives up first', async () => {
    const server = await startNameServer(() => 'silent');
    const lookup = createNameLookup({ resolver: () => server.resolver(20) });
    const { attempt } = await firstAttempt('http://hook.example/', { lookup });
    expect(attempt).toMatchObject({ result: 'timeout', code: 'DNS_TIMEOUT' });
  });

  test('nothing is sent to an endpoint whose name was found after the timeout', async () => {
    const endpoint = await startEndpoint(200);
    let isAsked = (): void => {};
    let find = (): void => {};
    const asked = new Promise<void>((resolve) => {
      isAsked = resolve;
    });
    const lookup: Lookup = (_, options, answer) => {
      find = () => answering(['127.0.0.1'])('', options, answer);
      isAsked();
    };
    const webhooks = [{ url: endpoint.url.replace('127.0.0.1', 'hook.example') }];
    const { destination, clock } = await openDestination({ webhooks }, { lookup });
    const made = next(destination, 'attempt');
    await destination.deliver(track('m1'));
    await asked;
    await clock.pass(5_000);
    find();
    expect((await made).attempt).toMatchObject({ result: 'timeout', code: 'DNS_TIMEOUT' });
    expect(endpoint.received).toEqual([]);
  });

  test('the timeout of an answer includes the TLS handshake, and the connection is closed', async () => {
    const server = createServer();
    const connected = once(server, 'connection') as Promise<[Socket]>;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const webhooks = [{ url: `https://127.0.0.1:${port}/`, requestTimeout: 60_000 }];
    const { destination, clock } = await openDestination({ webhooks });
    const made = next(destination, 'attempt');
    await destination.deliver(track('m1'));
    const [socket] = await connected;
    const closed = once(socket.resume(), 'close');
    await clock.pass(60_000);
    expect(destination.counters().attempts).toBe(1);
    expect((await made).attempt).toMatchObject({ result: 'timeout', code: 'TIMEOUT', durationMs: 60_000 });
    await closed;
  });

  test('early hints do not count as the answer', async () => {
    const endpoint = await startEndpoint((_, response) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload' });
    });
    const { destination, clock } = await openDestination({ webhooks: [{ url: endpoint.url }] });
    const made = next(destination, 'attempt');
    await destination.deliver(track('m1'));
    await endpoint.has(1);
    await clock.pass(5_000);
    expect((await made).attempt).toMatchObject({ result: 'timeout', code: 'TIMEOUT' });
  });

  test('an answer counts if its status came in time, even if its body never ends', async () => {
    const endpoint = await startEndpoint((_, response) => {
      response.writeHead(200).write('and so on');
    });
    const { destination, clock } = await openDestination({ webhooks: [{ url: endpoint.url }] });
    const headersCame = new Promise((resolve) => subscribe('undici:request:headers', resolve));
    const made = next(destination, 'attempt');
    await destination.deliver(track('m1'));
    await headersCame;
    await clock.pass(5_000);
    expect((await made).attempt).toMatchObject({ result: 'success', status: 200 });
  });

  test('a long answer is cut off after 16 KB', async () => {
    let written = 0;
    let isCut = (): void => {};
    const cut = new Promise<void>((resolve) => {
      isCut = resolve;
    });
    const endpoint = await startEndpoint((_, response) => {
      response.on('close', isCut);
      const write = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384))) written += 16_384;
        response.once('drain', write);
      };
      write();
    });
    const { attempt } = await firstAttempt(endpoint.url);
    await cut;
    expect(attempt).toMatchObject({ result: 'success', status: 200 });
    // The buffers of the sockets on both sides may hold more than 16 KB.
    expect(written).toBeLessThan(32 * 1024 * 1024);
  });

  test.each(interimAnswers)(
    'an answer counts whatever precedes it, and the event is sent once: %s',
    async (_, pieces) => {
      const server = await rawServer((socket) => writePieces(socket, pieces, answerWith('')));
      const { attempt } = await firstAttempt(`${server.url}/`);
      expect(attempt).toMatchObject({ result: 'success', status: 200 });
      expect(server.bodies).toHaveLength(1);
    },
  );

  /** Returns the attempt of a second event over the connection that was used for the first. */
  async function secondAttempt(answer: (socket: Socket, requests: number) => unknown) {
    const server = await rawServer((socket, requests) =>
      requests === 1 ? socket.write(answerWith('')) : answer(socket, requests),
    );
    const { destination } = await openDestination({ webhooks: [{ url: server.url }], concurrency: 1 });
    for (const id of ['m1', 'm2']) {
      const made = next(destination, 'attempt');
      await destination.deliver(track(id));
      if (id === 'm1') expect((await made).attempt).toMatchObject({ status: 200 });
      else
        return {
          attempt: (await made).attempt,
          destination,
          sent: server.bodies.map((body) => JSON.parse(body).messageId),
        };
    }
    return expect.fail();
  }

  test('an attempt over a connection that the endpoint has closed is repeated immediately on a new one', async () => {
    const { attempt, destination, sent } = await secondAttempt((socket, requests) =>
      requests === 2 ? socket.destroy() : socket.write(answerWith('')),
    );
    expect(attempt).toMatchObject({ result: 'success' });
    expect(sent).toEqual(['m1', 'm2', 'm2']);
    expect(destination.counters().attempts).toBe(2);
  });

  test('an attempt over a connection that the endpoint has closed is repeated only once', async () => {
    const { attempt, sent } = await secondAttempt((socket) => socket.destroy());
    expect(attempt).toMatchObject({ result: 'network' });
    expect(sent).toEqual(['m1', 'm2', 'm2']);
  });

  test('an attempt is not repeated after its answer has begun', async () => {
    const { attempt, sent } = await secondAttempt((socket) =>
      socket.end('HTTP/1.1 500 Oops\r\nContent-Length: 9\r\n\r\n'),
    );
    expect(attempt).toMatchObject({ status: 500 });
    expect(sent).toEqual(['m1', 'm2']);
  });

  test('an answer that breaks off leads to a retry', async () => {
    const endpoint = await startEndpoint((request) => request.socket.destroy());
    const { attempt } = await firstAttempt(endpoint.url);
    expect(attempt).toMatchObject({ result: 'network', code: 'UND_ERR_SOCKET' });
  });

  test('a refused connection leads to a retry', async () => {
    const { attempt } = await firstAttempt('http://127.0.0.1:1/');
    expect(attempt).toMatchObject({ result: 'network', code: 'ECONNREFUSED' });
  });

  test('an answer that is not HTTP leads to a retry', async () => {
    const server = createServer((socket) => socket.end('SSH-2.0-OpenSSH\r\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const { attempt } = await firstAttempt(`http://127.0.0.1:${port}/`);
    expect(attempt).toMatchObject({ result: 'network', code: 'HTTPParserError' });
  });
});

test('a request whose timeout has passed before it could start is not sent', async () => {
  const clock = new FakeClock();
  let handler: undici.Dispatcher.DispatchHandler | undefined;
  const agent = {
    dispatch: (_: unknown, given: undici.Dispatcher.DispatchHandler) => {
      handler = given;
      return true;
    },
  } as unknown as undici.Pool;
  const options = resolveOptions({ webhooks: [{ url: 'https://a.example/' }] });
  const [webhook] = options.webhooks;
  if (webhook === undefined) throw new Error('Expected a webhook');
  const sender = new Sender(webhook, { ...options, clock, wantsExchange: () => false }, async () => agent);
  const posted = sender.send('m1', Buffer.of());
  await settled();
  await clock.pass(5_000);
  expect(await posted).toMatchObject({ code: TIMEOUT_CODE });
  const abort = vi.fn();
  // undici only has its connection from here on.
  handler?.onRequestStart?.({ abort } as unknown as undici.Dispatcher.DispatchController, undefined);
  expect(abort).toHaveBeenCalledOnce();
});

/** Starts a server in a thread of its own, so that it can answer while this thread is stopped. */
async function startOtherThread(): Promise<{ url: string; asked(): Promise<unknown>; stopUntilAnswered(): void }> {
  const signals = new Int32Array(new SharedArrayBuffer(8));
  const worker = new Worker(
    `const { parentPort, workerData: signals } = require('node:worker_threads');
     const server = require('node:http').createServer((request, response) => {
       parentPort.postMessage('asked');
       // The other thread stands still from now on.
       Atomics.wait(signals, 0, 0);
       response.end(() => {
         Atomics.store(signals, 1, 1);
         Atomics.notify(signals, 1);
       });
     });
     server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`,
    { eval: true, workerData: signals },
  );
  onTestFinished(() => void worker.terminate());
  const [port] = await once(worker, 'message');
  const stopUntilAnswered = (): void => {
    Atomics.store(signals, 0, 1);
    Atomics.notify(signals, 0);
    Atomics.wait(signals, 1, 0);
    // This is longer than the shortest timer.
    Atomics.wait(signals, 1, 1, 5);
  };
  return { url: `http://127.0.0.1:${port}/`, asked: () => once(worker, 'message'), stopUntilAnswered };
}

test('an answer that came in time is read even if the process was stopped until the timeout had passed', async () => {
  const { url, asked, stopUntilAnswered } = await startOtherThread();
  const options = resolveOptions({ webhooks: [{ url }], allowLoopback: true });
  const [webhook] = options.webhooks;
  if (webhook === undefined) throw new Error('Expected a webhook');
  const clock = new FakeClock();
  const sender = new Sender(webhook, { ...options, clock, wantsExchange: () => false });
  onTestFinished(() => sender.destroy());
  const posted = sender.send('m1', Buffer.of());
  await asked();
  // It becomes due while the process is stopped, so that it runs before the connections are read.
  setTimeout(() => clock.advance(webhook.timeoutMs), 1);
  stopUntilAnswered();
  expect(await posted).toMatchObject({ status: 200 });
});

async function openSender() {
  const endpoint = await startEndpoint(200);
  const options = resolveOptions({ webhooks: [{ url: endpoint.url }], allowLoopback: true });
  const [webhook] = options.webhooks;
  if (webhook === undefined) throw new Error('Expected a webhook');
  const sender = new Sender(webhook, { ...options, clock: new FakeClock(), wantsExchange: () => false });
  onTestFinished(() => sender.destroy());
  return { endpoint, sender };
}

test('all posts to a webhook use the same agent, and only a test keeps the exchange', async () => {
  const { endpoint, sender } = await openSender();
  const body = Buffer.from('{}');
  expect(await sender.send('m1', body)).toMatchObject({ status: 200, exchange: undefined });
  expect(await sender.send('m2', body)).toMatchObject({ status: 200 });
  expect((await sender.test('m3', body)).exchange).toBeInstanceOf(Exchange);
  expect(endpoint.received).toHaveLength(3);
});

test('a sender that was never used can be destroyed', async () => {
  const { endpoint, sender } = await openSender();
  await sender.destroy();
  expect(endpoint.received).toEqual([]);
});

test.each([
  ['ends TLS 1.2 with an alert', 'TLSv1.2', { requestCert: true }],
  ['ends TLS 1.3 with an alert', 'TLSv1.3', { requestCert: true }],
  ['closes the connection', 'TLSv1.3', { requestCert: true, rejectUnauthorized: false }],
] as const)('an endpoint that requires a client certificate has its own code: it %s', async (_, version, asking) => {
  const authority = createAuthority();
  const { key, cert } = authority.sign('IP:127.0.0.1');
  const server = await rawServer((socket) => socket.destroy(), {
    ...{ key, cert, minVersion: version, maxVersion: version },
    ...asking,
  });
  const options = resolveOptions({ webhooks: [{ url: server.url }], allowLoopback: true });
  const [webhook] = options.webhooks;
  if (webhook === undefined) throw new Error('Expected a webhook');
  // Opens a sender that trusts the certificate of the endpoint.
  const open = async ({ origin }: { origin: string }) =>
    openPool(undici, origin, { connect: undici.buildConnector({ ca: authority.cert }) });
  const sender = new Sender(webhook, { ...options, clock: new FakeClock(), wantsExchange: () => false }, open);
  onTestFinished(() => sender.destroy());
  const answer = await sender.send('m1', Buffer.of());
  expect(answer).toMatchObject({ code: 'CLIENT_CERTIFICATE_REQUIRED' });
  expect(classify(answer)).toBe('tls');
});
