import { gunzipSync } from 'node:zlib';
import { HttpResponse, http } from 'msw';
import type { Message } from '../../src/index.js';
import { serveHandlers } from './loopback.js';

/** One request as the collector received it. */
export interface Received {
  readonly path: string;
  readonly headers: Headers;
  readonly bytes: number;
  readonly batch: readonly Message[];
  readonly messageId: string;
  /** Absent in the batches of an import. */
  readonly sentAt?: string;
  readonly context: unknown;
}

/** How the collector answers one request: a status, or a function that makes the whole answer from the request. */
export type Answer = number | ((received: Received) => Response | Promise<Response>);

export const ok = (): Response => HttpResponse.json({ success: true });

/** Breaks the connection instead of answering. */
export const reset = (): Response => HttpResponse.error();

export const status = (code: number, headers: Record<string, string> = {}, body = ''): Response =>
  new HttpResponse(code === 204 ? null : body, { status: code, headers });

export interface Sink {
  readonly url: string;
  /** All requests in the order in which they came, including refused ones. */
  readonly requests: Received[];
  /** The messages of the requests that were answered with 200. */
  readonly messages: Message[];
}

/** Starts a collector on a real socket that gives these answers in turn, and then always 200. */
export async function sink(...answers: Answer[]): Promise<Sink> {
  const requests: Received[] = [];
  const messages: Message[] = [];
  const handler = http.post('*', async ({ request }) => {
    const received = await read(request);
    requests.push(received);
    const answer = answers.shift() ?? ok;
    const response = typeof answer === 'number' ? status(answer) : await answer(received);
    if (response.status === 200) messages.push(...received.batch);
    return response;
  });
  return { url: await serveHandlers(handler), requests, messages };
}

async function read(request: Request): Promise<Received> {
  const raw = Buffer.from(await request.arrayBuffer());
  const body = request.headers.get('content-encoding') === 'gzip' ? gunzipSync(raw) : raw;
  const { pathname: path } = new URL(request.url);
  return { path, headers: request.headers, bytes: body.length, ...JSON.parse(body.toString()) };
}
