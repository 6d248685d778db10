import { EventferryError } from '../base/errors/errors.js';

// No message, property or cause of these errors contains the token.

/** The service answered that it did not do what was asked. */
abstract class AdminAnswerError extends EventferryError {
  readonly status: number;
  /** The code in the service's answer: `admin_disabled`, `audience_busy`. */
  readonly reason: string;

  constructor({ status, reason, message }: RefusalDetails) {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

/** An answer that may tell when to try again. */
abstract class AdminLaterError extends AdminAnswerError {
  /** When to try again, in milliseconds from now; undefined if the answer does not tell. */
  readonly retryAfterMs: number | undefined;

  constructor(details: RefusalDetails) {
    super(details);
    this.retryAfterMs = details.retryAfterMs;
  }
}

/** The service does not accept the token, or has none configured (`admin_disabled`). */
export class AdminUnauthorizedError extends AdminAnswerError {
  override readonly name = 'AdminUnauthorizedError';
  readonly code = 'EVENTFERRY_ADMIN_UNAUTHORIZED';
}

/** The audience, deletion, source, destination, dead letter or job does not exist. */
export class AdminNotFoundError extends AdminAnswerError {
  override readonly name = 'AdminNotFoundError';
  readonly code = 'EVENTFERRY_ADMIN_NOT_FOUND';
  override readonly status = 404;
}

/** Something prevents the call: another change of the audience (`audience_busy`) or another audience (`audience_trait_taken`). */
export class AdminConflictError extends AdminLaterError {
  override readonly name = 'AdminConflictError';
  readonly code = 'EVENTFERRY_ADMIN_CONFLICT';
  override readonly status = 409;
}

/** The service refused what was sent, and would refuse it again. Nothing was changed. */
export class AdminRefusedError extends AdminAnswerError {
  override readonly name = 'AdminRefusedError';
  readonly code = 'EVENTFERRY_ADMIN_REFUSED';
}

/** The service cannot do it now. The change may have been made or may still be made; repeating the call does no harm. */
export class AdminUnavailableError extends AdminLaterError {
  override readonly name = 'AdminUnavailableError';
  readonly code = 'EVENTFERRY_ADMIN_UNAVAILABLE';
}

/** No answer arrived. The change may have been made. */
export class AdminConnectionError extends EventferryError {
  override readonly name = 'AdminConnectionError';
  readonly code = 'EVENTFERRY_ADMIN_CONNECTION';

  constructor(origin: string, cause: unknown) {
    super(`No answer from ${origin}: ${cause instanceof Error ? cause.message || cause.name : String(cause)}`, {
      cause,
    });
  }
}

/** The content of a refusing answer. */
export interface RefusalDetails {
  readonly status: number;
  readonly reason: string;
  readonly message: string;
  readonly retryAfterMs: number | undefined;
}

export function errorOf(details: RefusalDetails): EventferryError {
  const { status } = details;
  if (status === 401 || status === 403) return new AdminUnauthorizedError(details);
  if (status === 404) return new AdminNotFoundError(details);
  if (status === 409) return new AdminConflictError(details);
  if (status === 429 || status >= 500) return new AdminUnavailableError(details);
  return new AdminRefusedError(details);
}
