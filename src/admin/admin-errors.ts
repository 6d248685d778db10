import { EventferryError } from '../base/errors/errors.js';

// No message, property or cause made here holds the token.

/** The service answered that it does not do it. */
abstract class AdminAnswerError extends EventferryError {
  readonly status: number;
  /** The service's code: `admin_disabled`, `audience_busy`. */
  readonly reason: string;

  constructor({ status, reason, message }: RefusalDetails) {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

/** An answer that says when to come again, where that may help. */
abstract class AdminLaterError extends AdminAnswerError {
  /** In milliseconds. */
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

/** There is no such audience, deletion, source, destination, dead letter or job. */
export class AdminNotFoundError extends AdminAnswerError {
  override readonly name = 'AdminNotFoundError';
  readonly code = 'EVENTFERRY_ADMIN_NOT_FOUND';
  override readonly status = 404;
}

/** Something else is in the way: another change of the audience (`audience_busy`), or another audience (`audience_trait_taken`). */
export class AdminConflictError extends AdminLaterError {
  override readonly name = 'AdminConflictError';
  readonly code = 'EVENTFERRY_ADMIN_CONFLICT';
  override readonly status = 409;
}

/** The service does not take what was sent, and will not if it is sent again. Nothing was changed. */
export class AdminRefusedError extends AdminAnswerError {
  override readonly name = 'AdminRefusedError';
  readonly code = 'EVENTFERRY_ADMIN_REFUSED';
}

/** The service cannot do it now. What was to be changed may be, or may be later: to send the same again does no harm. */
export class AdminUnavailableError extends AdminLaterError {
  override readonly name = 'AdminUnavailableError';
  readonly code = 'EVENTFERRY_ADMIN_UNAVAILABLE';
}

/** No answer came. What was to be changed may be. */
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
