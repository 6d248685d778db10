import type { IncomingMessage, ServerResponse } from 'node:http';
import { awaitsContinue } from './expect-continue.js';
import type { Refusal } from './refusal.js';

// An answer given before the body was read only reaches a client that is still sending if the connection stays open for
// a while: closing it with unread bytes makes the kernel throw the answer away. So the rest is read and dropped, but not
// for ever.
const LINGER_BYTES = 4 * 1024 * 1024;
const LINGER_MS = 2_000;

type Headers = Record<string, string | number>;

const JSON_HEADERS = { 'Content-Type': 'application/json' };

export function answer(incoming: IncomingMessage, outgoing: ServerResponse, status: number, json: string): void {
  send(incoming, outgoing, status, json, JSON_HEADERS);
}

export function send(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  status: number,
  body: string,
  headers: Readonly<Headers>,
): void {
  if (!canAnswer(outgoing)) return;
  outgoing.writeHead(status, headersOf(incoming, body, headers));
  outgoing.end(body);
}

/** Answers a refusal, whether or not the body was read. */
export function refuse(incoming: IncomingMessage, outgoing: ServerResponse, refusal: Refusal): void {
  if (!canAnswer(outgoing)) return;
  const body = JSON.stringify({ code: refusal.code, message: refusal.message });
  const headers = headersOf(incoming, body, { ...JSON_HEADERS, ...refusal.headers });
  if (isRead(incoming)) {
    outgoing.writeHead(refusal.status, headers).end(body);
    return;
  }
  const closes = refusal.status === 408 || awaitsContinue(incoming);
  if (closes || !isShort(incoming)) headers['Connection'] = 'close';
  outgoing.writeHead(refusal.status, headers);
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

const canAnswer = (outgoing: ServerResponse): boolean => !outgoing.headersSent && !outgoing.destroyed;

const isRead = (incoming: IncomingMessage): boolean => incoming.complete || incoming.readableEnded;

/** Whether the rest of the body is sure to end within the bound, so that the connection can go on. */
function isShort({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined) return false;
  return Number(headers['content-length'] ?? 0) <= LINGER_BYTES;
}

function headersOf(incoming: IncomingMessage, body: string, headers: Readonly<Headers>): Headers {
  const all: Headers = { ...headers, 'Content-Length': Buffer.byteLength(body) };
  if (incoming.headers.origin !== undefined) {
    // No cookies are read here and the write key comes with the request, so any page may read its answer.
    all['Access-Control-Allow-Origin'] = '*';
    all['Access-Control-Expose-Headers'] = 'Retry-After';
  }
  return all;
}

function dropRest(incoming: IncomingMessage, then: () => void): void {
  let left = LINGER_BYTES;
  const onData = (chunk: Uint8Array): void => {
    left -= chunk.length;
    if (left < 0) done();
  };
  const timer = setTimeout(() => done(), LINGER_MS);
  const done = (): void => {
    clearTimeout(timer);
    incoming.off('data', onData).off('end', done).off('close', done).off('error', done);
    then();
  };
  incoming.on('data', onData).on('end', done).on('close', done).on('error', done);
  incoming.resume();
}
