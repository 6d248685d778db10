import { EventferryError, problemText } from '../base/errors/errors.js';
import type { NotAdmitted } from './collector-options.js';

interface HttpErrorDetails {
  /** Headers of the response, besides the usual ones. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How many readable messages are rejected with the request. @default 0 */
  readonly rejected?: number;
  readonly cause?: unknown;
}

/** Refuses a whole request. It is thrown where the reason is found, and answered as JSON. */
export class HttpError extends EventferryError {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly rejected: number;

  constructor(status: number, code: string, message: string, details: HttpErrorDetails = {}) {
    const { headers = {}, rejected = 0, cause } = details;
    super(message, { cause });
    this.status = status;
    this.code = code;
    this.headers = headers;
    this.rejected = rejected;
  }
}

/** Asks the client to come back after one second. */
const SOON = { 'Retry-After': '1' };
const LATER = { 'Retry-After': '5' };

const bad = (code: string, message: string): HttpError => new HttpError(400, code, message);

/** All the reasons for which a request can be refused. */
export const httpErrors = {
  invalidRequest: () => bad('invalid_request', 'The request line and the Host header do not form a URL'),
  emptyBody: () => bad('empty_body', 'The body is empty'),
  invalidEncoding: (encoding: string) => bad('invalid_encoding', `The body is not valid ${encoding}`),
  invalidUtf8: () => bad('invalid_utf8', 'The body is not valid UTF-8'),
  invalidJson: (position: string | undefined) =>
    bad('invalid_json', `The body is not valid JSON${position === undefined ? '' : ` at position ${position}`}`),
  notAnObject: () => bad('not_an_object', 'The body is not a JSON object'),
  noBatch: () => bad('no_batch', 'The body has no `batch` array'),
  emptyBatch: () => bad('empty_batch', 'The `batch` array is empty'),
  tooManyMessages: (count: number, limit: number) =>
    bad('too_many_messages', `The batch holds ${count} messages; the limit is ${limit}`),
  batchTooLarge: (messages: number, bytes: number, limit: number) =>
    bad(
      'batch_too_large',
      `Each of the ${messages} messages gets the context and integrations of the batch, which makes ${bytes} bytes more; at most ${limit} can be held. Send fewer messages at once`,
    ),
  invalidField: (field: string, expected: string, received: string) =>
    bad(`invalid_${field}`, problemText(field, expected, received)),
  bodyTooLarge: (limit: number) => bad('body_too_large', `The body is larger than ${limit} bytes`),
  badField: bad,
  /** Refuses a request for its only message. */
  badMessage: (code: string, message: string) => new HttpError(400, code, message, { rejected: 1 }),
  unknownWriteKey: () =>
    new HttpError(401, 'unknown_write_key', 'The write key is missing or unknown', {
      // RFC 9110 requires this header, and some Android clients fail to read a 401 without it.
      headers: { 'WWW-Authenticate': 'Basic realm="eventferry"' },
    }),
  notFound: () => new HttpError(404, 'not_found', 'There is nothing at this path'),
  methodNotAllowed: (allow: string) =>
    new HttpError(405, 'method_not_allowed', `Only ${allow} is allowed here`, { headers: { Allow: allow } }),
  bodyTimeout: () => new HttpError(408, 'body_timeout', 'The body took too long to arrive'),
  unsupportedEncoding: () =>
    new HttpError(415, 'unsupported_encoding', 'The Content-Encoding is not gzip, deflate, br or identity', {
      headers: { 'Accept-Encoding': 'gzip, deflate, br' },
    }),
  tooBusy: () => new HttpError(429, 'too_busy', 'Too many bytes are in flight', { headers: SOON }),
  notAdmitted: ({ code, message, retryAfter }: NotAdmitted) =>
    new HttpError(429, code, message, { headers: { 'Retry-After': String(Math.max(1, Math.ceil(retryAfter))) } }),
  /** No client is left to read this response. 499 is the status that proxies log for it. */
  clientGone: () => new HttpError(499, 'client_gone', 'The client went away'),
  bodyAlreadyRead: () =>
    new HttpError(
      500,
      'body_already_read',
      'The body was read before the collector saw it: mount the collector in front of every body parser',
    ),
  internalError: (cause: unknown) => new HttpError(500, 'internal_error', 'The collector failed', { cause }),
  notStored: (cause: unknown) =>
    new HttpError(503, 'not_stored', 'The messages could not be stored', { headers: LATER, cause }),
  noSources: (cause: unknown) =>
    new HttpError(503, 'no_sources', 'The write key could not be looked up', { headers: LATER, cause }),
  closing: () => new HttpError(503, 'closing', 'The collector is shutting down', { headers: LATER }),
} as const;
