import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { describeThrown } from '../../base/errors/describe-thrown.js';
import { isRecord } from '../../protocol/plain.js';
import { isOwnRequest } from './guard.js';
import type { Feed } from './live-feed.js';
import { pageHeaders, privateHeaders } from './page-response.js';
import type { Deliveries } from './seen-deliveries.js';
import { streamFeed } from './stream.js';

export interface SiteOptions {
  readonly html: string;
  readonly feed: Feed;
  /** Returns the lines of code that send an event here. */
  snippet(): readonly string[];
  /** The name or address that the server listens on. */
  readonly host: string;
  /** Handles every request that is not for the debugger. */
  readonly otherwise: RequestListener;
  /** Sends a test event and returns the result. */
  send(message: Record<string, unknown>): Promise<SendResult>;
  /** Absent without webhooks. */
  readonly deliveries?: Pick<Deliveries, 'replay' | 'clear'> | undefined;
}

export interface SendResult {
  readonly isDelivered: boolean;
  /** The id of the message, or the reason why it was not delivered. */
  readonly text: string;
}

type AnswerRequest = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** The maximum size of a request from the page, in bytes. It is far above the collector's limit for a message. */
const MAX_FORM_BYTES = 256 * 1024;

/** Serves the debugger page and answers its requests. All other requests are passed on. */
export function createSite(options: SiteOptions): RequestListener {
  const routes = routesOf(options);
  return (request, response) => {
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    const answer = routes[`${request.method} ${path}`];
    if (answer === undefined) return options.otherwise(request, response);
    if (!isOwnRequest(request.headers, options.host))
      return refuse(response, 403, 'This page is for this machine only.');
    Promise.resolve(answer(request, response)).catch((error) => refuse(response, 500, describeThrown(error)));
  };
}

function routesOf({ html, feed, snippet, send, deliveries }: SiteOptions): Readonly<Record<string, AnswerRequest>> {
  const headers = pageHeaders(html);
  const page: AnswerRequest = (_, response) => {
    response.writeHead(200, headers).end(html);
  };
  return {
    'GET /': page,
    'HEAD /': page,
    'GET /debugger/feed': (request, response) =>
      streamFeed(feed, request, response, { snippet: snippet(), isForwarding: deliveries !== undefined }),
    'POST /debugger/clear': async (_, response) => {
      feed.clear();
      await deliveries?.clear();
      response.writeHead(204, privateHeaders).end();
    },
    'POST /debugger/send': async (request, response) => {
      const message = await readObject(request, response);
      if (message !== undefined) answerJson(response, 200, await send(message));
    },
    'POST /debugger/replay': async (request, response) => {
      const { id, endpoint } = (await readObject(request, response)) ?? {};
      if (response.headersSent) return;
      const isUnderstood = typeof id === 'string' && typeof endpoint === 'string' && deliveries !== undefined;
      if (!isUnderstood) return refuse(response, 400, 'Send the id and the endpoint of a delivery.');
      answerJson(response, 200, { text: await deliveries.replay(id, endpoint) });
    },
  };
}

/** Reads the JSON object in a request. If there is none, it refuses the request and returns undefined. */
async function readObject(
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Record<string, unknown> | undefined> {
  // A page of another site needs a CORS preflight to send JSON, and that is never answered here.
  const isJson = /^application\/json\b/.test(request.headers['content-type'] ?? '');
  const object = isJson ? parse(await readText(request)) : undefined;
  if (isRecord(object)) return object;
  refuse(response, isJson ? 400 : 415, 'Send a JSON object.');
  return undefined;
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > MAX_FORM_BYTES) return '';
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refuse(response: ServerResponse, status: number, message: string): void {
  if (response.headersSent) response.destroy();
  else answerJson(response, status, { message });
}

function answerJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { ...privateHeaders, 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
