import { type EventferryError, RejectedError } from '../../base/errors/errors.js';
import type { NamedRejection, Outcome } from '../transport/response-outcome.js';
import type { Batch } from './batch.js';
import type { ErrorOf } from './receipt.js';

/** What a response means for the messages that were sent. */
export type BatchAnswer =
  /** The collector has accepted these messages, except those that it names. */
  | { readonly kind: 'taken'; readonly errorOf: ErrorOf | undefined }
  /** All of these messages are lost. */
  | { readonly kind: 'lost'; readonly error: EventferryError }
  /** The collector refuses some of the messages or, if `isInDoubt`, perhaps every message. */
  | { readonly kind: 'split'; readonly error: RejectedError; readonly isInDoubt: boolean };

/**
 * What a client knows about whether its collector accepts any messages. A message that is refused alone may be invalid, or a
 * server in front of the collector may refuse every request.
 */
export class Acceptance {
  /** Counts the responses that accepted a message, so that a caller can tell whether there was one since it last looked. */
  taken = 0;
  /** The number of messages that were refused alone since the last one was accepted. */
  refusedInARow = 0;
  /** The last message that was accepted, as JSON. */
  lastTaken: Uint8Array | undefined;

  /** @param last the last message that was accepted; undefined if the collector named each one as refused */
  took(last: Uint8Array | undefined): void {
    this.taken++;
    this.refusedInARow = 0;
    this.lastTaken = last ?? this.lastTaken;
  }

  /** Judges a response to the messages from `from` up to but not including `to`, for them and for the collector. */
  judge(outcome: Outcome, batch: Batch, from: number, to: number): BatchAnswer {
    const answer = answerOf(outcome, batch, from, to);
    if (answer.kind === 'taken') this.took(lastTaken(batch, from, to, answer.errorOf));
    return answer;
  }
}

function lastTaken(batch: Batch, from: number, to: number, errorOf: ErrorOf | undefined): Uint8Array | undefined {
  for (let index = to - 1; index >= from; index--) {
    if (errorOf?.(index) === undefined && !batch.dropped.has(index)) return batch.copyOf(index);
  }
  return undefined;
}

function answerOf(outcome: Outcome, batch: Batch, from: number, to: number): BatchAnswer {
  if (outcome.verdict === 'delivered') return acceptanceOf(outcome.rejections, outcome.status, batch, from, to);
  const { status, answer, rejections = [] } = outcome;
  // The collector named every message, so sending smaller parts would give the same answer.
  if (rejections.length > 0 && namesAll(rejections, batch.keptOf(from, to).length)) {
    return acceptanceOf(rejections, status, batch, from, to);
  }
  const error = new RejectedError(status, answer, outcome.advice);
  return outcome.verdict === 'split' ? { kind: 'split', error, isInDoubt: status === 400 } : { kind: 'lost', error };
}

/** Returns true if a response names each message that was sent. No gateway would do that, so it comes from the collector. */
const namesAll = (rejections: readonly NamedRejection[], count: number): boolean =>
  rejections.length === count &&
  new Set(rejections.map(({ index }) => index)).size === count &&
  rejections.every(({ index }) => index < count);

function acceptanceOf(
  rejections: readonly NamedRejection[],
  status: number,
  batch: Batch,
  from: number,
  to: number,
): BatchAnswer {
  if (rejections.length === 0) return { kind: 'taken', errorOf: undefined };
  const sent = batch.keptOf(from, to);
  const errors = new Map(rejections.map(({ index, reason }) => [sent[index], new RejectedError(status, reason)]));
  const isAboutOthers = rejections.some(({ index, messageId }) => {
    const at = sent[index];
    return at === undefined || (messageId && messageId !== batch.message(at).messageId);
  });
  if (!isAboutOthers) return { kind: 'taken', errorOf: (index) => errors.get(index) };
  // The collector refuses something without saying which, so the response is treated like an unreadable one.
  const reasons = rejections.map(({ reason }) => reason);
  return { kind: 'split', error: new RejectedError(status, reasons[0] ?? ''), isInDoubt: false };
}
