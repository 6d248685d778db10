import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { parseJson } from '../base/text/decode.js';
import { AdminConnectionError, errorOf } from './admin-errors.js';

export interface AdminRequest {
  readonly method: 'GET' | 'PUT' | 'PATCH' | 'POST' | 'DELETE';
  readonly url: URL;
  readonly token: string;
  /** The body: JSON, or lines of JSON that are sent as fast as the service reads them. */
  readonly body?: string | AsyncIterable<string> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The maximum size of an answer, in bytes. It is enough for the list of very many audiences. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** How long to wait until the service asks for a list before the list is sent anyway, in milliseconds. */
const INVITATION_MS = 1_000;

/** After this many milliseconds without data, TCP checks that the other end is still there, because a change may take minutes. */
const KEEP_ALIVE_MS = 30_000;

/**
 * Makes one request on a new connection, because a reused connection might be closed by the time it is used.
 *
 * @returns the answer's JSON
 * @throws an error of the body, the signal's reason, AdminConnectionError, or the error that `errorOf` makes from the answer
 */
export async function request(call: AdminRequest): Promise<unknown> {
  call.signal?.throwIfAborted();
  const request = open(call);
  const stop = new AbortController();
  const answered = answerTo(request, call.url.origin);
  // The rest of the body is not needed once there is an answer or none can arrive.
  answered.finally(() => stop.abort()).catch(() => {});
  try {
    const sent = send(request, call.body, stop.signal);
    // The answer may arrive before the whole body is sent, and while the next part of the body is awaited.
    return read(await Promise.race([answered, sent.then(() => answered)]));
  } catch (error) {
    call.signal?.throwIfAborted();
    throw error;
  } finally {
    request.destroy();
  }
}

function open({ method, url, token, body, signal }: AdminRequest): ClientRequest {
  const headers: Record<string, string | number> = { Authorization: `Bearer ${token}`, Accept: 'application/json' };
  if (typeof body === 'string') {
    headers['Content-Type'] = 'application/json';
    headers['Content-Length'] = Buffer.byteLength(body);
  } else if (body !== undefined) {
    headers['Content-Type'] = 'application/x-ndjson';
    // This prevents sending a list that is refused: the connection might then be closed and the answer lost (RFC 9110, 10.1.1).
    headers['Expect'] = '100-continue';
  }
  const options = { method, headers, agent: false, ...(signal && { signal }) };
  const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, options);
  request.setSocketKeepAlive(true, KEEP_ALIVE_MS);
  return request;
}

interface AdminAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly text: string;
}

async function answerTo(request: ClientRequest, origin: string): Promise<AdminAnswer> {
  // The connection may also fail while the body is still being sent, after the answer.
  request.on('error', () => {});
  // After an unrequested answer of status 101, this is the only event.
  const closed = once(request, 'close').then((): never => {
    throw new Error('the connection was closed');
  });
  try {
    const [response]: IncomingMessage[] = await Promise.race([once(request, 'response'), closed]);
    const { statusCode: status = 0, headers } = response as IncomingMessage;
    return { status, retryAfter: headers['retry-after'], text: await textOf(response as IncomingMessage) };
  } catch (cause) {
    throw new AdminConnectionError(origin, cause);
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new Error(`the answer is larger than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes).toString();
}

/** Resolves when the whole body is handed over, or when the rest is no longer needed. */
async function send(request: ClientRequest, body: AdminRequest['body'], stop: AbortSignal): Promise<void> {
  if (body === undefined || typeof body === 'string') {
    request.end(body);
    return;
  }
  request.flushHeaders();
  // A proxy may ignore the `Expect` header, so the body is sent after a short wait even without a `100 Continue`.
  await Promise.race([next(request, 'continue', stop), delay(INVITATION_MS, undefined, { ref: false })]);
  for await (const text of body) {
    if (stop.aborted) return;
    if (!request.write(text)) await next(request, 'drain', stop);
  }
  if (!stop.aborted) request.end();
}

/** Resolves at the next event of this name, or when the rest of the body is no longer needed. */
const next = (request: ClientRequest, event: string, signal: AbortSignal): Promise<unknown> =>
  once(request, event, { signal }).catch(() => {});

function read({ status, retryAfter, text }: AdminAnswer): unknown {
  const value = parseJson(text);
  const isAnswer = typeof value === 'object' && value !== null;
  if (status >= 200 && status < 300 && isAnswer) return value;
  const { code, message }: { code?: unknown; message?: unknown } = isAnswer ? value : {};
  const seconds = /^\d{1,9}$/.test(retryAfter ?? '') ? Number(retryAfter) : undefined;
  throw errorOf({
    status,
    reason: typeof code === 'string' ? code : 'unexpected_answer',
    message: typeof message === 'string' ? message : `The answer, of status ${status}, does not come from the service`,
    retryAfterMs: seconds === undefined ? undefined : seconds * 1_000,
  });
}
