import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpError } from './http-error.js';
import { awaitsContinue, dropRest, hasBody, isShort } from './request-body.js';

type Headers = Record<string, string | number>;

const JSON_HEADERS = { 'Content-Type': 'application/json' };

export function answer(incoming: IncomingMessage, outgoing: ServerResponse, status: number, json: string): void {
  send(incoming, outgoing, status, json, JSON_HEADERS);
}

/** Answers a refused request, whether or not its body was read. */
export function refuse(incoming: IncomingMessage, outgoing: ServerResponse, refusal: HttpError): void {
  const { status, code, message, headers } = refusal;
  send(incoming, outgoing, status, JSON.stringify({ code, message }), { ...JSON_HEADERS, ...headers });
}

/** Sends a response, whether or not the body was read. */
export function send(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  status: number,
  body: string,
  given: Readonly<Headers>,
): void {
  if (outgoing.headersSent || outgoing.destroyed) return;
  const headers = headersOf(incoming, body, given);
  if (isRead(incoming)) {
    outgoing.writeHead(status, headers).end(body);
    return;
  }
  const closes = status === 408 || awaitsContinue(incoming);
  if (closes || !isShort(incoming)) headers['Connection'] = 'close';
  outgoing.writeHead(status, headers);
  if (closes) {
    outgoing.end(body, () => incoming.socket.destroySoon());
    return;
  }
  outgoing.write(body);
  dropRest(incoming, () => {
    outgoing.end(() => {
      if (!isRead(incoming)) incoming.socket.destroySoon();
    });
  });
}

const isRead = (incoming: IncomingMessage): boolean =>
  incoming.complete || incoming.readableEnded || !hasBody(incoming);

function headersOf(incoming: IncomingMessage, body: string, headers: Readonly<Headers>): Headers {
  const all: Headers = { ...headers };
  // A response without content has no Content-Length (RFC 9110, 8.6).
  if (body !== '') all['Content-Length'] = Buffer.byteLength(body);
  if (incoming.headers.origin !== undefined) {
    // The collector reads no cookies, and the write key comes with the request, so any page may read its response.
    all['Access-Control-Allow-Origin'] = '*';
    all['Access-Control-Expose-Headers'] = 'Retry-After';
  }
  return all;
}

/** The responses that are not completely sent yet. */
export class ActiveResponses {
  readonly #answers = new Set<ServerResponse>();
  #isClosing = false;
  /** Callbacks of callers that wait until there are none. */
  #onIdle: (() => void)[] = [];

  get size(): number {
    return this.#answers.size;
  }

  enter(outgoing: ServerResponse): void {
    // The client may have left before the app that mounted the collector passed the request on; no event follows then.
    if (outgoing.destroyed) return;
    this.#answers.add(outgoing);
    if (this.#isClosing) closeAfter(outgoing);
    outgoing.once('close', () => {
      this.#answers.delete(outgoing);
      if (this.#answers.size === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
    });
  }

  /** Makes every later response tell its client to open a new connection. */
  closeConnections(): void {
    this.#isClosing = true;
    for (const outgoing of this.#answers) closeAfter(outgoing);
  }

  /** Resolves when all are sent, or after `patienceMs` milliseconds. */
  async idle(patienceMs?: number): Promise<void> {
    if (this.#answers.size === 0) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#onIdle.push(resolve);
      if (patienceMs !== undefined) timer = setTimeout(resolve, patienceMs);
    });
    clearTimeout(timer);
  }
}

function closeAfter(outgoing: ServerResponse): void {
  if (!outgoing.headersSent) outgoing.setHeader('Connection', 'close');
}
