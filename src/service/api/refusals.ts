import { EventferryError, problemText } from '../../base/errors/errors.js';
import { describe } from '../../base/text/describe.js';
import { ERROR_CODES, type ErrorCode } from './openapi-types.js';

type Status = keyof typeof ERROR_CODES;

const statusOf = (code: ErrorCode): Status =>
  Number(Object.entries<readonly string[]>(ERROR_CODES).find(([, codes]) => codes.includes(code))?.[0]) as Status;

interface Details {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The number of the wrong line in a list, counted from 1. */
  readonly line?: number | undefined;
  readonly cause?: unknown;
}

/** A refusal of an admin API call. It is thrown where the mistake is found, and sent as JSON. */
export class ApiRefusal extends EventferryError {
  override readonly name = 'ApiRefusal';
  readonly code: ErrorCode;
  readonly status: Status;
  readonly headers: Readonly<Record<string, string>>;
  readonly line: number | undefined;

  constructor(code: ErrorCode, message: string, { headers = {}, line, cause }: Details = {}) {
    super(message, { cause });
    this.code = code;
    this.status = statusOf(code);
    // A call that fails because of another call, too many callers or the store may succeed a moment later.
    const isPassing = this.status === 429 || this.status === 503 || code.endsWith('_busy');
    this.headers = isPassing ? { 'Retry-After': '5' } : headers;
    this.line = line;
  }
}

const refusal = (code: ErrorCode, message: string, details?: Details) => new ApiRefusal(code, message, details);

const received = (given: unknown): string => {
  if (given === undefined) return 'nothing';
  return Array.isArray(given) ? `a list of ${given.length}` : describe(given);
};

/** Creates each refusal that a call can get. */
export const refusals = {
  invalidJson: (problem: string) => refusal('invalid_json', problem),
  /** Usually the sender has disconnected and never reads this. */
  brokenOff: (cause?: unknown) => refusal('body_broken_off', 'The body is incomplete', { cause }),
  invalidPath: (expected: string, received: string) =>
    refusal('invalid_path', `Expected the path to have ${expected}, got ${received}`),
  invalidQuery: (name: string, expected: string, given: unknown) =>
    refusal('invalid_query', problemText(`\`${name}\``, expected, describe(given))),
  repeatedQuery: (name: string, expected: string, times: number) =>
    refusal('invalid_query', problemText(`\`${name}\``, expected, `${times} values`)),
  unknownQuery: (name: string, known: string) =>
    refusal('invalid_query', `\`${name}\` is not a parameter of this call, which takes ${known || 'no parameters'}`),
  invalidEncoding: (cause: unknown) => refusal('invalid_encoding', 'The body is not valid gzip', { cause }),
  unauthorized: () =>
    refusal('unauthorized', 'The token is missing or wrong', { headers: { 'WWW-Authenticate': 'Bearer' } }),
  adminDisabled: () => refusal('admin_disabled', 'The configuration has no `admin.token`'),
  metricsDisabled: () => refusal('metrics_disabled', 'The configuration has no `metrics.token` or `admin.token`'),
  readOnly: (name: string) => refusal('read_only', `The token of ${name} may change nothing`),
  otherOrigin: () =>
    refusal(
      'other_origin',
      'With a cookie, only the page of this service may change anything. Behind a proxy that rewrites `Host`, set `admin.publicUrl` to the address of the page in the browser',
    ),
  unknown: (what: string) => refusal('not_found', `There is no ${what}`),
  methodNotAllowed: (allow: string) =>
    refusal('method_not_allowed', `Only ${allow} is allowed here`, { headers: { Allow: allow } }),
  noTarget: (message: string) => refusal('replay_target', message),
  deliveryState: (message: string) => refusal('delivery_state', message),
  bodyTimeout: () => refusal('body_timeout', 'The body took too long to arrive'),
  bodyTooLarge: (limit: number, hint?: string) =>
    refusal('body_too_large', `The body is larger than ${limit} bytes${hint === undefined ? '' : `; ${hint}`}`),
  notJson: () => refusal('not_json', 'The Content-Type is not application/json'),
  notLines: () => refusal('not_ndjson', 'The Content-Type is not application/x-ndjson'),
  unsupportedEncoding: () => refusal('unsupported_encoding', 'The Content-Encoding is not gzip or identity'),
  invalidField: (field: string, expected: string, given: unknown) =>
    refusal('invalid_field', problemText(`\`${field}\``, expected, received(given))),
  unknownField: (name: string, known: string) =>
    refusal('invalid_field', `\`${name}\` is not a field of this body, which takes ${known}`),
  tooManyWrong: () => refusal('too_many_attempts', 'Too many requests with a wrong token at once'),
  internalError: () => refusal('internal_error', 'The service failed'),
  notDone: () => refusal('not_done', 'The store could not be read or written'),
  closing: () => refusal('closing', 'The service is shutting down'),
  notReady: (reason: string) => refusal('not_ready', reason),
} as const;
