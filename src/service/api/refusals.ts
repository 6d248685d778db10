import { EventferryError, problemText } from '../../base/errors/errors.js';
import { describe } from '../../base/text/describe.js';
import type { ErrorCode } from './openapi-types.js';

export type RefusalStatus = 400 | 401 | 403 | 404 | 405 | 408 | 409 | 413 | 415 | 422 | 429 | 500 | 503;

interface Details {
  readonly status: RefusalStatus;
  readonly code: ErrorCode;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The number of the wrong line in a list, counted from 1. */
  readonly line?: number | undefined;
}

/** A refusal of an admin API call. It is thrown where the mistake is found, and sent as JSON. */
export class ApiRefusal extends EventferryError {
  override readonly name = 'ApiRefusal';
  readonly code: ErrorCode;
  readonly status: RefusalStatus;
  readonly headers: Readonly<Record<string, string>>;
  readonly line: number | undefined;

  constructor({ status, code, message, headers = {}, line }: Details, options?: { cause?: unknown }) {
    super(message, options);
    this.status = status;
    this.code = code;
    this.headers = headers;
    this.line = line;
  }
}

const refusal = (status: RefusalStatus, code: ErrorCode, message: string, headers?: Record<string, string>) =>
  new ApiRefusal({ status, code, message, headers });

/** Creates each refusal that a call can get. */
export const refusals = {
  invalidJson: (problem: string) => refusal(400, 'invalid_json', problem),
  /** Usually the sender has disconnected and never reads this. */
  brokenOff: (cause?: unknown) =>
    new ApiRefusal({ status: 400, code: 'body_broken_off', message: 'The body is incomplete' }, { cause }),
  invalidPath: (expected: string, received: string) =>
    refusal(400, 'invalid_path', `Expected the path to have ${expected}, got ${received}`),
  invalidQuery: (name: string, expected: string, given: unknown) =>
    refusal(400, 'invalid_query', problemText(`\`${name}\``, expected, describe(given))),
  repeatedQuery: (name: string, expected: string, times: number) =>
    refusal(400, 'invalid_query', problemText(`\`${name}\``, expected, `${times} values`)),
  unknownQuery: (name: string, known: string) =>
    refusal(
      400,
      'invalid_query',
      `\`${name}\` is not a parameter of this call, which takes ${known || 'no parameters'}`,
    ),
  invalidEncoding: (cause: unknown) =>
    new ApiRefusal({ status: 400, code: 'invalid_encoding', message: 'The body is not valid gzip' }, { cause }),
  unauthorized: () => refusal(401, 'unauthorized', 'The token is missing or wrong', { 'WWW-Authenticate': 'Bearer' }),
  adminDisabled: () => refusal(403, 'admin_disabled', 'The configuration has no `admin.token`'),
  metricsDisabled: () => refusal(403, 'metrics_disabled', 'The configuration has no `metrics.token` or `admin.token`'),
  readOnly: (name: string) => refusal(403, 'read_only', `The token of ${name} may change nothing`),
  otherOrigin: () =>
    refusal(
      403,
      'other_origin',
      'With a cookie, only the page of this service may change anything. Behind a proxy that rewrites `Host`, set `admin.publicUrl` to the address of the page in the browser',
    ),
  unknown: (what: string) => refusal(404, 'not_found', `There is no ${what}`),
  methodNotAllowed: (allow: string) =>
    refusal(405, 'method_not_allowed', `Only ${allow} is allowed here`, { Allow: allow }),
  noTarget: (message: string) => refusal(409, 'replay_target', message),
  deliveryState: (message: string) => refusal(409, 'delivery_state', message),
  bodyTimeout: () => refusal(408, 'body_timeout', 'The body took too long to arrive'),
  bodyTooLarge: (limit: number, hint?: string) =>
    refusal(413, 'body_too_large', `The body is larger than ${limit} bytes${hint === undefined ? '' : `; ${hint}`}`),
  notJson: () => refusal(415, 'not_json', 'The Content-Type is not application/json'),
  notLines: () => refusal(415, 'not_ndjson', 'The Content-Type is not application/x-ndjson'),
  unsupportedEncoding: () => refusal(415, 'unsupported_encoding', 'The Content-Encoding is not gzip or identity'),
  invalidField: (field: string, expected: string, given: unknown) =>
    refusal(
      422,
      'invalid_field',
      problemText(`\`${field}\``, expected, given === undefined ? 'nothing' : describe(given)),
    ),
  /** Refuses a field that is not a list, or a list whose length is not allowed. */
  invalidList: (field: string, expected: string, given: unknown) =>
    Array.isArray(given)
      ? refusal(422, 'invalid_field', problemText(`\`${field}\``, expected, `a list of ${given.length}`))
      : refusals.invalidField(field, expected, given),
  unknownField: (name: string, known: string) =>
    refusal(422, 'invalid_field', `\`${name}\` is not a field of this body, which takes ${known}`),
  tooManyWrong: () =>
    refusal(429, 'too_many_attempts', 'Too many requests with a wrong token at once', { 'Retry-After': '5' }),
  internalError: () => refusal(500, 'internal_error', 'The service failed'),
  notDone: () => refusal(503, 'not_done', 'The store could not be read or written', { 'Retry-After': '5' }),
  closing: () => refusal(503, 'closing', 'The service is shutting down', { 'Retry-After': '5' }),
  notReady: (reason: string) => refusal(503, 'not_ready', reason, { 'Retry-After': '5' }),
} as const;
