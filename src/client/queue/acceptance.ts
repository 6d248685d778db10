import { type EventferryError, RejectedError } from '../../base/errors/errors.js';
import type { Outcome, Rejection } from '../transport/response-outcome.js';
import type { Batch } from './batch.js';
import type { ErrorOf } from './receipt.js';

/** The result of an answer for the messages that were sent. */
export type Answer =
  /** The collector has them, except those that it names. */
  | { readonly kind: 'taken'; readonly errorOf: ErrorOf | undefined }
  /** They are lost, each of them. */
  | { readonly kind: 'lost'; readonly error: EventferryError }
  /** The collector refuses some of them, or, when `isInDoubt`, perhaps every message. */
  | { readonly kind: 'split'; readonly error: RejectedError; readonly isInDoubt: boolean };

/**
 * The evidence of a client that its collector takes messages at all. A message that is refused alone may be bad, or something
 * in front of the collector may refuse every request.
 */
export class Acceptance {
  /** Counts the answers that took a message: a caller that remembers the number learns whether there was one since. */
  taken = 0;
  /** The number of messages that were refused alone since the last one was taken. */
  refusedInARow = 0;
  /** The message that was taken last, as JSON. */
  lastTaken: Uint8Array | undefined;

  /** @param last the last message that was taken; undefined when the collector named each one as refused */
  took(last: Uint8Array | undefined): void {
    this.taken++;
    this.refusedInARow = 0;
    this.lastTaken = last ?? this.lastTaken;
  }

  refusedAlone(): void {
    this.refusedInARow++;
  }

  /** Judges an answer to the messages from `from` up to, and without, `to`: its result for them, and for the collector. */
  judge(outcome: Outcome, batch: Batch, from: number, to: number): Answer {
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

function answerOf(outcome: Outcome, batch: Batch, from: number, to: number): Answer {
  if (outcome.verdict === 'delivered') return acceptanceOf(outcome.rejections, outcome.status, batch, from, to);
  const { status, answer, rejections = [] } = outcome;
  // Word by word, so that smaller parts would be told the same.
  if (rejections.length > 0 && namesAll(rejections, batch.keptOf(from, to).length)) {
    return acceptanceOf(rejections, status, batch, from, to);
  }
  const error = new RejectedError(status, answer, outcome.advice);
  return outcome.verdict === 'split' ? { kind: 'split', error, isInDoubt: status === 400 } : { kind: 'lost', error };
}

/** Tells whether a collector names each message that it was sent. No gateway in front of it would, so it is the collector that refuses. */
const namesAll = (rejections: readonly Rejection[], count: number): boolean =>
  rejections.length === count &&
  new Set(rejections.map(({ index }) => index)).size === count &&
  rejections.every(({ index }) => index < count);

function acceptanceOf(
  rejections: readonly Rejection[],
  status: number,
  batch: Batch,
  from: number,
  to: number,
): Answer {
  if (rejections.length === 0) return { kind: 'taken', errorOf: undefined };
  const sent = batch.keptOf(from, to);
  const errors = new Map(rejections.map(({ index, reason }) => [sent[index], new RejectedError(status, reason)]));
  const isAboutOthers = rejections.some(({ index, messageId }) => {
    const at = sent[index];
    return at === undefined || (messageId && messageId !== batch.message(at).messageId);
  });
  if (!isAboutOthers) return { kind: 'taken', errorOf: (index) => errors.get(index) };
  // It refuses something and does not say what: as with an answer that cannot be read.
  const reasons = rejections.map(({ reason }) => reason);
  return { kind: 'split', error: new RejectedError(status, reasons[0] ?? ''), isInDoubt: false };
}
