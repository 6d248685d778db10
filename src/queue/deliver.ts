import { ConnectionError, EventferryError, RejectedError } from '../errors.js';
import type { Outcome } from '../transport/exchange.js';
import type { Rejection } from '../transport/rejections.js';
import type { Batch } from './batch.js';
import type { ErrorOf } from './endings.js';

/**
 * How many requests one batch may cost when the collector refuses it and it is taken apart. Enough to find ten bad
 * messages among 2,500; a collector that refuses everything is not asked thousands of times.
 */
export const MAX_REQUESTS_PER_BATCH = 256;

export interface DeliverySteps {
  /** Sends the messages from `from` up to, and without, `to`, as often as it takes. */
  send(batch: Batch, from: number, to: number): Promise<Outcome>;
  /** Takes note that all messages before `to` have ended. */
  settle(batch: Batch, to: number, errorOf?: ErrorOf): void;
}

/** Sends a batch until each of its messages has ended. Never rejects. */
export async function deliver(batch: Batch, { send, settle }: DeliverySteps): Promise<void> {
  const ends = [batch.count];
  let requests = 0;
  for (let to = ends.pop(); to !== undefined && !batch.isOver; to = ends.pop()) {
    const from = batch.endings.ended;
    try {
      const outcome = await send(batch, from, to);
      // The process may have given up on the batch meanwhile.
      if (batch.isOver) return;
      requests++;
      if (outcome.verdict === 'split' && to - from > 1 && requests < MAX_REQUESTS_PER_BATCH) {
        ends.push(to, from + Math.ceil((to - from) / 2));
      } else {
        settle(batch, to, errorsOf(outcome, from));
      }
    } catch (error) {
      if (!batch.isOver) settle(batch, batch.count, always(lossOf(error)));
      return;
    }
  }
}

function errorsOf(outcome: Outcome, from: number): ErrorOf | undefined {
  if (outcome.verdict !== 'delivered') return always(new RejectedError(outcome.status, outcome.answer));
  return outcome.rejections.length === 0 ? undefined : among(outcome.rejections, outcome.status, from);
}

const always =
  (error: EventferryError): ErrorOf =>
  () =>
    error;

function among(rejections: readonly Rejection[], status: number, from: number): ErrorOf {
  const errors = new Map(rejections.map(({ index, reason }) => [from + index, new RejectedError(status, reason)]));
  return (index) => errors.get(index);
}

/** A reason with a code, whatever was thrown. */
const lossOf = (error: unknown): EventferryError =>
  error instanceof EventferryError ? error : new ConnectionError(String(error), { cause: error });
