import { isAttemptError } from '../../../src/base/errors/errors.js';
import { takeApart } from '../../../src/client/platform/node.js';
import { Acceptance } from '../../../src/client/queue/acceptance.js';
import { Batch } from '../../../src/client/queue/batch.js';
import { BatchDelivery } from '../../../src/client/queue/batch-delivery.js';
import type { ErrorOf } from '../../../src/client/queue/receipt.js';
import { StatsCounter } from '../../../src/client/queue/stats.js';
import type { Sending } from '../../../src/client/transport/batch-sender.js';
import type { Outcome } from '../../../src/client/transport/response-outcome.js';
import { FakeClock } from '../../support/fake-clock.js';

/** Returns the outcome of one request, whose messages are given by their numbers. */
export type Judge = (messages: readonly number[]) => Outcome | Promise<Outcome>;

export const delivered = { verdict: 'delivered', status: 200, rejections: [] } satisfies Outcome;
export const split = (status: number): Outcome => ({ verdict: 'split', status, answer: 'no' });

/** A collector that responds with 400 to a request with one of these messages, and accepts everything else. */
export const refusing = (bad: ReadonlySet<number>): Judge => {
  return (messages) => (messages.some((message) => bad.has(message)) ? split(400) : delivered);
};

/** A batch whose messages are the numbers from `first` on. */
export function batchOf(messages: number, first = 0): Batch {
  const id = '00000000-0000-4000-8000-000000000000';
  const batch = new Batch(id, { maxBytes: 500_000, maxMessages: 10_000 });
  for (let index = 0; index < messages; index++) batch.add(String(first + index));
  return batch;
}

/** The state of a client whose collector has accepted message -1. */
export function experienced(): Acceptance {
  const acceptance = new Acceptance();
  acceptance.took(new TextEncoder().encode('-1'));
  return acceptance;
}

export interface Delivered {
  /** The requests, each with the numbers of its messages. */
  readonly asked: readonly (readonly number[])[];
  /** The number of requests of each attempt. All but the last ended with a pause. */
  readonly attempts: readonly number[];
  /** How each message ended: with the code of its error, or undefined. */
  readonly results: readonly (string | undefined)[];
  /** The indexes of the lost messages. */
  readonly lost: readonly number[];
  /** The numbers of messages settled so far, in the order of the calls. */
  readonly settled: readonly number[];
}

/**
 * Delivers a batch to a collector that judges in this way. Each pause ends at once.
 *
 * @param pauses the number of pauses after which the client gives up with the last error
 * @param waiting a message that waits behind the batch
 */
export async function deliverTo(
  judge: Judge,
  batch: Batch,
  { acceptance = new Acceptance(), pauses = 5_000, waiting = undefined as number | undefined } = {},
): Promise<Delivered> {
  const asked: number[][] = [];
  const attempts: number[] = [];
  const results: (string | undefined)[] = [];
  const settled: number[] = [];
  let askedBefore = 0;
  const endAttempt = (): void => {
    attempts.push(asked.length - askedBefore);
    askedBefore = asked.length;
  };
  const sending = {
    repetitions: 0,
    mostBytes: Number.POSITIVE_INFINITY,
    pass: () => undefined,
    async post(body) {
      const { batch: messages } = JSON.parse(String(Buffer.from(body))) as { batch: number[] };
      asked.push(messages);
      return judge(messages);
    },
    finish: endAttempt,
    fail(error) {
      endAttempt();
      if (!isAttemptError(error) || attempts.length > pauses) throw error;
      return { attempt: attempts.length, delayMs: 0, error };
    },
  } satisfies Partial<Sending>;
  const delivery = new BatchDelivery({
    counter: new StatsCounter(),
    reporter: { flush: () => ({}), retry() {}, refused() {} },
    sender: { begin: () => sending as unknown as Sending },
    acceptance,
    clock: new FakeClock(),
    takeApart,
    queue: { noteRoom() {} },
    live: {
      drop() {},
      newestOutside: () => (waiting === undefined ? undefined : new TextEncoder().encode(String(waiting))),
      settle(_, to: number, errorOf?: ErrorOf) {
        for (let index = batch.results.ended; index < to; index++) results[index] = errorOf?.(index)?.code;
        batch.results.endUpTo(to, errorOf);
        settled.push(to);
      },
    },
  });
  await delivery.deliver(batch);
  const lost = results.flatMap((code, index) => (code === undefined ? [] : [index]));
  return { asked, attempts, results, lost, settled };
}
