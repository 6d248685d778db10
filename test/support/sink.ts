import { gunzipSync } from 'node:zlib';
import { HttpResponse, http } from 'msw';
import type { Message } from '../../src/index.js';
import { serveHandlers } from './loopback.js';

/** One request, as a collector saw it. */
export interface Received {
  readonly path: string;
  readonly headers: Headers;
  readonly bytes: number;
  readonly batch: readonly Message[];
  readonly messageId: string;
  /** An import says none. */
  readonly sentAt?: string;
  readonly context: unknown;
}

/** What a collector says to one request: a status, or a whole answer made from what came. */
export type Answer = number | ((received: Received) => Response | Promise<Response>);

export const ok = (): Response => HttpResponse.json({ success: true });

/** The connection breaks. */
export const reset = (): Response => HttpResponse.error();

export const status = (code: number, headers: Record<string, string> = {}, body = ''): Response =>
  new HttpResponse(code === 204 ? null : body, { status: code, headers });

export interface Sink {
  readonly url: string;
  /** All requests, those refused too, in the order they came. */
  readonly requests: Received[];
  /** The messages of the requests that were answered with 200. */
  readonly messages: Message[];
}

/** A collector on a real socket: gives the answers in turn, and then 200 for ever. */
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
