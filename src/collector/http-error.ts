import { EventferryError, problemText } from '../base/errors/errors.js';
import type { NotAdmitted } from './collector-options.js';

interface HttpErrorDetails {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** Headers of the response, besides the usual ones. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How many readable messages are rejected with the request. @default 0 */
  readonly rejected?: number;
}

/** Refuses a whole request. It is thrown where the reason is found, and answered as JSON. */
export class HttpError extends EventferryError {
  override readonly name = 'Refusal';
  readonly code: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly rejected: number;

  constructor({ status, code, message, headers = {}, rejected = 0 }: HttpErrorDetails, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
    this.status = status;
    this.headers = headers;
    this.rejected = rejected;
  }
}

/** Asks the client to come back after one second. */
const SOON = { 'Retry-After': '1' };
const LATER = { 'Retry-After': '5' };

const bad = (code: string, message: string): HttpError => new HttpError({ status: 400, code, message });

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
  badField: (code: string, message: string) => bad(code, message),
  /** Refuses a request for its only message. */
  badMessage: (code: string, message: string) => new HttpError({ status: 400, code, message, rejected: 1 }),
  unknownWriteKey: () =>
    new HttpError({
      status: 401,
      code: 'unknown_write_key',
      message: 'The write key is missing or unknown',
      // RFC 9110 requires this header, and some Android clients fail to read a 401 without it.
      headers: { 'WWW-Authenticate': 'Basic realm="eventferry"' },
    }),
  notFound: () => new HttpError({ status: 404, code: 'not_found', message: 'There is nothing at this path' }),
  methodNotAllowed: (allow: string) =>
    new HttpError({
      status: 405,
      code: 'method_not_allowed',
      message: `Only ${allow} is allowed here`,
      headers: { Allow: allow },
    }),
  /** No client is left to read this response. 499 is the status that proxies log for it. */
  clientGone: () => new HttpError({ status: 499, code: 'client_gone', message: 'The client went away' }),
  bodyTimeout: () => new HttpError({ status: 408, code: 'body_timeout', message: 'The body took too long to arrive' }),
  unsupportedEncoding: () =>
    new HttpError({
      status: 415,
      code: 'unsupported_encoding',
      message: 'The Content-Encoding is not gzip, deflate, br or identity',
      headers: { 'Accept-Encoding': 'gzip, deflate, br' },
    }),
  tooBusy: () =>
    new HttpError({ status: 429, code: 'too_busy', message: 'Too many bytes are in flight', headers: SOON }),
  notAdmitted: ({ code, message, retryAfter }: NotAdmitted) =>
    new HttpError({
      status: 429,
      code,
      message,
      headers: { 'Retry-After': String(Math.max(1, Math.ceil(retryAfter))) },
    }),
  bodyAlreadyRead: () =>
    new HttpError({
      status: 500,
      code: 'body_already_read',
      message: 'The body was read before the collector saw it: mount the collector in front of every body parser',
    }),
  internalError: (cause: unknown) =>
    new HttpError({ status: 500, code: 'internal_error', message: 'The collector failed' }, { cause }),
  notStored: (cause?: unknown) =>
    new HttpError(
      { status: 503, code: 'not_stored', message: 'The messages could not be stored', headers: LATER },
      { cause },
    ),
  noSources: (cause: unknown) =>
    new HttpError(
      { status: 503, code: 'no_sources', message: 'The write key could not be looked up', headers: LATER },
      { cause },
    ),
  closing: () =>
    new HttpError({ status: 503, code: 'closing', message: 'The collector is shutting down', headers: LATER }),
} as const;
