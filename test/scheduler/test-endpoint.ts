import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

/** What the endpoint does with a request: returns a status, or anything else. */
export type Reaction = number | { status: number; headers: Record<string, string> } | RequestListener;

export interface TestEndpoint {
  readonly url: string;
  readonly received: Received[];
  /** Resolves when `count` requests have arrived. */
  has(count: number): Promise<void>;
}

/** A real endpoint on loopback. The reactions apply to the first requests in order, and the last one to all later requests. */
export async function startEndpoint(...reactions: [Reaction, ...Reaction[]]): Promise<TestEndpoint> {
  const received: Received[] = [];
  let waiters: { count: number; resolve(): void }[] = [];
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    if (body === undefined) return;
    const { method = '', url: path = '', headers, rawHeaders } = request;
    const reaction = reactions[Math.min(received.length, reactions.length - 1)] ?? 200;
    received.push({ method, path, headers, rawHeaders, body });
    for (const { count, resolve } of waiters) if (received.length >= count) resolve();
    waiters = waiters.filter(({ count }) => received.length < count);
    if (typeof reaction === 'function') reaction(request, response);
    else if (typeof reaction === 'number') response.writeHead(reaction).end();
    else response.writeHead(reaction.status, reaction.headers).end();
  });
  const url = `http://127.0.0.1:${await listen(server)}/hook`;
  const has = (count: number): Promise<void> =>
    received.length >= count ? Promise.resolve() : new Promise((resolve) => waiters.push({ count, resolve }));
  return { url, received, has };
}

/** Returns undefined if the sender disconnected. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
    return Buffer.concat(chunks);
  } catch {
    return undefined;
  }
}

export async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}
