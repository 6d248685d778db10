import { type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import type { Answered } from '../../src/collector/collector-metrics.js';
import {
  type CollectedRequest,
  Collector,
  type CollectorOptions,
  type ReceivedMessage,
  type Rejection,
  type Source,
} from '../../src/collector/index.js';

/** 2026-11-20T12:00:00.000Z */
const NOON = Date.UTC(2026, 10, 20, 12);

/** A collector on a free port that records everything; its clock stands at noon. */
export async function listening(options: Partial<CollectorOptions> = {}) {
  const kept = {
    messages: [] as ReceivedMessage[],
    sources: [] as Source[],
    requests: [] as CollectedRequest[],
    rejections: [] as Rejection[],
    answered: [] as Answered[],
    errors: [] as unknown[],
  };
  const collector = new Collector({
    ...(options.sources === undefined && { writeKeys: ['dev'] }),
    now: () => NOON,
    onMessages: (messages, source, request) => {
      kept.messages.push(...messages);
      kept.sources.push(source);
      kept.requests.push(request);
    },
    onRejected: (rejections) => kept.rejections.push(...rejections),
    onAnswered: (answered) => kept.answered.push(answered),
    onError: (error) => kept.errors.push(error),
    ...options,
  });
  const { url, port } = await collector.listen({ port: 0 });
  onTestFinished(() => collector.close());
  return { ...kept, collector, url, port };
}

export interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly text: string;
  readonly headers: Record<string, string | string[] | undefined>;
}

export const basic = (key: string): string => `Basic ${Buffer.from(`${key}:`).toString('base64')}`;

interface Sending {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
}

/** Sends one request over node:http; the write key is `dev` unless the headers contain another. */
export function send(url: string, path: string, { method = 'POST', headers = {}, body }: Sending): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url + path, { method, headers: { authorization: basic('dev'), ...headers } });
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => resolve(replyOf(incoming)));
    outgoing.end(body);
  });
}

async function replyOf(incoming: IncomingMessage): Promise<Reply> {
  const answer = await text(incoming);
  const isJson = incoming.headers['content-type'] === 'application/json';
  const body: unknown = isJson && answer !== '' ? JSON.parse(answer) : undefined;
  return { status: incoming.statusCode ?? 0, body, text: answer, headers: incoming.headers };
}

export const post = (url: string, body: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
  send(url, '/v1/batch', {
    headers,
    body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
  });

export const track = (fields: Record<string, unknown> = {}): Record<string, unknown> => ({
  type: 'track',
  event: 'Order Completed',
  userId: 'u1',
  ...fields,
});

/** A connection for raw bytes, and everything that was received once the other side has closed it. */
export async function rawConnection(port: number): Promise<{ socket: Socket; ended: Promise<string> }> {
  const socket = connect({ port, host: '127.0.0.1' });
  let received = '';
  const ended = new Promise<string>((resolve) => {
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(received));
  });
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  onTestFinished(() => {
    socket.destroy();
  });
  return { socket, ended };
}

export const head = (headers: string): string =>
  `POST /v1/batch HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${basic('dev')}\r\n${headers}\r\n\r\n`;

export function deferred(): { promise: Promise<void>; resolve: () => void; reject: (error: Error) => void } {
  let resolve: () => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
