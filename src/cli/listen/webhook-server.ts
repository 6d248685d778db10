import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { ListenAnswer } from './answer-options.js';

/** The longest body that is kept, in bytes, which is many times the limit of a message. */
const MAX_BODY_BYTES = 1024 * 1024;
const SLOW_BODY = '{"received":true}\n';
/** The delay between two bytes of a slow body, in ms. */
const SLOW_BYTE_MS = 500;

/** A received request and its answer. */
export interface ReceivedDelivery {
  /** The number of the delivery, starting at 1. */
  readonly number: number;
  readonly receivedAt: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Uint8Array;
  /** True if the body was cut because it was too long. */
  readonly isCut: boolean;
  readonly answer: ListenAnswer;
}

export interface WebhookServerOptions {
  answerAt(index: number): ListenAnswer;
  /** The delay before each answer, in ms. */
  readonly delayMs: number;
  /** Called with each delivery after its body was read and before it is answered. */
  onDelivery(delivery: ReceivedDelivery): void;
  /** Resolves after that many ms. */
  sleep(ms: number): Promise<void>;
  now(): Date;
}

/** Creates a server that accepts any request, reports it, and answers according to the options. */
export function createWebhookServer(options: WebhookServerOptions): Server {
  let received = 0;
  return createServer((request, response) => {
    const index = received++;
    // The sender may give up first, which makes writing the answer fail.
    take(request, response, index, options).catch(() => response.destroy());
  });
}

async function take(
  request: IncomingMessage,
  response: ServerResponse,
  index: number,
  options: WebhookServerOptions,
): Promise<void> {
  const receivedAt = options.now().toISOString();
  const { body, isCut } = await readBody(request);
  const answer = options.answerAt(index);
  const { method = '', url: path = '', headers } = request;
  options.onDelivery({ number: index + 1, receivedAt, method, path, headers, body, isCut, answer });
  if (options.delayMs > 0) await options.sleep(options.delayMs);
  await reply(response, answer, options);
}

async function readBody(request: IncomingMessage): Promise<{ body: Uint8Array; isCut: boolean }> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  return { body: Buffer.concat(chunks), isCut: bytes > MAX_BODY_BYTES };
}

async function reply(response: ServerResponse, answer: ListenAnswer, options: WebhookServerOptions): Promise<void> {
  if (answer === 'hang') return;
  if (answer === 'reset') {
    response.socket?.resetAndDestroy();
    return;
  }
  const { status, isSlow } = answer;
  const hasBody = status !== 204 && status !== 304;
  response.writeHead(status, { 'Content-Type': 'application/json' });
  if (!isSlow || !hasBody) {
    response.end(hasBody ? SLOW_BODY : undefined);
    return;
  }
  for (const character of SLOW_BODY) {
    if (response.destroyed) return;
    response.write(character);
    await options.sleep(SLOW_BYTE_MS);
  }
  response.end();
}
