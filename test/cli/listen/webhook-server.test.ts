import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { answersOf } from '../../../src/cli/listen/answer-options.js';
import { listenOn } from '../../../src/cli/listen/listen-on.js';
import { createWebhookServer, type ReceivedDelivery } from '../../../src/cli/listen/webhook-server.js';

const deliveries: ReceivedDelivery[] = [];
const slept: number[] = [];
let close: () => void = () => {};
beforeEach(() => {
  deliveries.length = 0;
  slept.length = 0;
});
afterEach(() => close());

/** Starts a receiver with these answers, which does not really sleep. */
async function startReceiver(options: { status: string; delayMs?: number }): Promise<number> {
  const server = createWebhookServer({
    answerAt: answersOf(options),
    delayMs: options.delayMs ?? 0,
    sleep: async (ms) => {
      slept.push(ms);
    },
    now: () => new Date('2026-11-20T12:00:00.000Z'),
    onDelivery: (delivery) => deliveries.push(delivery),
  });
  close = () => {
    server.closeAllConnections();
    server.close();
  };
  return listenOn(server, { port: 0, host: '127.0.0.1' });
}

function post(
  port: number,
  body: string | Uint8Array,
  headers = {},
): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    const sending = request({ port, host: '127.0.0.1', method: 'POST', path: '/hook?x=1', headers }, (response) => {
      text(response).then((answer) => resolve({ status: response.statusCode, body: answer }), reject);
    });
    sending.on('error', reject);
    sending.end(body);
  });
}

test('the webhook server of listen reports a delivery and answers according to its options', async () => {
  const port = await startReceiver({ status: '500,204' });
  expect(await post(port, '{"a":1}', { 'X-Signature': 's' })).toMatchObject({ status: 500 });
  expect(await post(port, '')).toEqual({ status: 204, body: '' });
  const [first] = deliveries;
  expect(first).toMatchObject({
    number: 1,
    receivedAt: '2026-11-20T12:00:00.000Z',
    method: 'POST',
    path: '/hook?x=1',
  });
  expect(first?.headers['x-signature']).toBe('s');
  expect(Buffer.from(first?.body ?? []).toString()).toBe('{"a":1}');
});

test('the webhook server of listen waits before each answer', async () => {
  const port = await startReceiver({ status: '200', delayMs: 250 });
  await post(port, 'x');
  expect(slept).toEqual([250]);
});

test('the webhook server of listen sends a slow body byte by byte', async () => {
  const port = await startReceiver({ status: 'slow' });
  const { body } = await post(port, 'x');
  expect(JSON.parse(body)).toEqual({ received: true });
  expect(slept).toEqual(Array.from(body, () => 500));
});

test('the webhook server of listen resets the connection', async () => {
  const port = await startReceiver({ status: 'reset' });
  await expect(post(port, 'x')).rejects.toMatchObject({ code: 'ECONNRESET' });
  expect(deliveries).toHaveLength(1);
});

test('the webhook server of listen sends no answer for `hang`', async () => {
  const port = await startReceiver({ status: 'hang,200' });
  const hanging = post(port, 'first');
  await expect.poll(() => deliveries).toHaveLength(1);
  const answered = await post(port, 'second');
  close();
  expect(answered.status).toBe(200);
  await expect(hanging).rejects.toMatchObject({ code: 'ECONNRESET' });
});

test('the webhook server of listen keeps at most a megabyte of a body', async () => {
  const port = await startReceiver({ status: '200' });
  await post(port, new Uint8Array(1024 * 1024 + 1));
  expect(deliveries[0]).toMatchObject({ isCut: true });
  expect(deliveries[0]?.body.length).toBeLessThanOrEqual(1024 * 1024);
});
