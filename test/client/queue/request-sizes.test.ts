import { createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { fetchTransport } from '../../../src/client/transport/fetch-transport.js';
import type { AbortableRequest } from '../../../src/client/transport/http-transport.js';
import { nodeTransport } from '../../../src/client/transport/node-transport.js';
import type { Transport } from '../../../src/client/transport/transport.js';
import { undiciTransport } from '../../../src/client/transport/undici-transport.js';
import { client } from '../../support/client.js';
import { FakeClock } from '../../support/fake-clock.js';
import { answerWith } from '../../support/raw-server.js';

/** What a server does with a request that is too large. */
type Fault = (socket: Socket) => unknown;

/** A server that accepts requests of at most `mostBytes` bytes. */
async function limited(mostBytes: number, fault: Fault) {
  const taken: number[][] = [];
  const failed: number[][] = [];
  const sockets = new Set<Socket>();
  const messagesOf = (body: string): number[] =>
    [...body.matchAll(/"event":"(\d+)"/g)].map(([, event]) => Number(event));
  const server = createServer((socket) => {
    let text = '';
    let isCut = false;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (isCut) return;
      const [, head = '', length = '0'] = /^(.*?content-length: (\d+).*?\r\n\r\n)/is.exec(text) ?? [];
      if (head === '') return;
      const body = text.slice(head.length);
      if (body.length > mostBytes) {
        isCut = true;
        failed.push(messagesOf(body));
        fault(socket);
      } else if (body.length === Number(length)) {
        taken.push(messagesOf(body));
        text = '';
        socket.write(answerWith('{"success":true}'));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return { origin: `http://127.0.0.1:${port}`, taken, failed };
}

type Create = (origin: string) => Promise<(request: AbortableRequest) => unknown>;

const clock = new FakeClock();
const optionsFor = (origin: string) => ({ origin, concurrency: 1, requestTimeout: 10_000, clock });

const transports: readonly (readonly [string, Create])[] = [
  ['node:http', async (origin) => nodeTransport(optionsFor(origin)).send],
  ['undici', async (origin) => (await undiciTransport(optionsFor(origin), () => expect.fail())).send],
  [
    'fetch',
    async () => fetchTransport({ isOnPage: false, outlivePage: () => undefined, hasPageEnded: () => false }).send,
  ],
];

const MESSAGES = 760;
const messages = Array.from({ length: MESSAGES }, (_, index) => index);
const padding = 'x'.repeat(200);

/** A client with this many messages in one batch. Each request that times out advances its clock. */
async function clientOf(origin: string, create: Create) {
  const { analytics, clock, lost } = client({
    endpoint: origin,
    flushAt: MESSAGES,
    transport: (await create(origin)) as Transport,
  });
  analytics.on('retry', ({ delayMs }) => setImmediate(() => clock.advance(delayMs)));
  const send = (): Promise<void> => {
    for (const index of messages) analytics.track({ userId: 'u1', event: String(index), properties: { padding } });
    return analytics.flush();
  };
  return { analytics, clock, lost, send };
}

const faults: readonly (readonly [string, (clock: FakeClock) => Fault])[] = [
  ['gives no answer in time', (clock) => () => setImmediate(() => clock.advance(10_000))],
  ['resets the connection', () => (socket) => socket.resetAndDestroy()],
  ['ends the connection', () => (socket) => socket.destroy()],
];

test.each(
  transports.flatMap(([transport, create]) =>
    faults.map(([fault, faultOf]) => ({ transport, create, fault, faultOf })),
  ),
)(
  '$transport: a server that $fault after 30 kB gets all messages, in order, in smaller parts',
  async ({ create, faultOf }) => {
    let fail: Fault = () => {};
    const { origin, taken, failed } = await limited(30_000, (socket) => fail(socket));
    const { clock, lost, send, analytics } = await clientOf(origin, create);
    fail = faultOf(clock);
    await send();
    expect(taken.flat()).toEqual(messages);
    expect(lost).toEqual([]);
    expect(analytics.stats()).toMatchObject({ accepted: MESSAGES, delivered: MESSAGES, pending: 0 });
    // The client tried the whole twice, a half twice, a quarter twice, and later some larger requests again.
    expect(failed.length).toBeGreaterThanOrEqual(6);
    expect(analytics.stats().requests).toBeLessThan(40);
  },
);

test('a message that alone is too large is sent again for as long as the client retries', async () => {
  const { origin, failed } = await limited(100, (socket) => socket.destroy());
  const { analytics, clock, lost } = client({ endpoint: origin, maxRetries: 5 });
  analytics.on('retry', ({ delayMs }) => setImmediate(() => clock.advance(delayMs)));
  analytics.track({ userId: 'u1', event: '7' });
  await analytics.flush();
  expect(failed).toEqual(Array.from({ length: 6 }, () => [7]));
  expect(lost.map(({ error }) => error.code)).toEqual(['EVENTFERRY_RETRIES_EXHAUSTED']);
});
