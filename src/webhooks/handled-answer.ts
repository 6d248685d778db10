import { ValidationError } from '../base/errors/errors.js';
import { RawBodyError } from '../signature/bytes.js';
import { BodyConsumedError, RefusedError } from './receiver-errors.js';

/** The response to the sender. */
export interface Answer {
  readonly status: number;
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** A line of plain text. */
  readonly body: string;
}

const answer = (status: number, body: string, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8', ...headers },
  body: `${body}\n`,
});

export const HANDLED = answer(200, 'ok');
export const STILL_AT_WORK = answer(202, 'accepted');
export const FAILED = answer(500, 'The handler failed');

/** Headers that belong to certain statuses. */
const moreHeaders: Readonly<Record<number, Record<string, string>>> = {
  405: { allow: 'POST' },
  // A sender that stopped in the middle of a body has left the connection unusable.
  408: { connection: 'close' },
  415: { accept: 'application/json', 'accept-encoding': 'identity' },
};

/** The response is the same for a missing and a wrong signature, so that it reveals nothing. */
const UNAUTHENTICATED = answer(401, 'The signature is missing or wrong');

export function answerTo(refusal: RefusedError): Answer {
  return refusal.status === 401
    ? UNAUTHENTICATED
    : answer(refusal.status, refusal.message, moreHeaders[refusal.status]);
}

/** The answer to a failure. If the receiver is mounted wrongly, it says how to fix that, for a developer who tries it with curl. */
export const answerToError = (error: unknown): Answer =>
  error instanceof BodyConsumedError || error instanceof RawBodyError ? answer(500, error.message) : FAILED;

/** Converts an error that was thrown while a delivery was read to a refusal, if the sender caused the error. */
export function refusalOf(error: unknown): RefusedError | undefined {
  if (error instanceof RefusedError) return error;
  return error instanceof ValidationError ? new RefusedError(400, error.message, { cause: error }) : undefined;
}
