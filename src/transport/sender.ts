import pRetry from 'p-retry';
import type { Clock } from '../clock.js';
import { AnswerError, ConnectionError, RetriesExhaustedError } from '../errors.js';
import type { Exchange, Outcome } from './exchange.js';
import type { Gate } from './gate.js';

/** Makes the body of one attempt; it is asked anew for each, because `sentAt` differs. */
export type MakeBody = () => Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>>;

/** An attempt that failed and will be repeated. */
export interface Retry {
  /** Which attempt it was, from 1. */
  readonly attempt: number;
  /** How long all sending pauses now, in milliseconds. */
  readonly delayMs: number;
  readonly error: AnswerError | ConnectionError;
}

export interface SenderOptions {
  readonly exchange: Pick<Exchange, 'post'>;
  readonly gate: Gate;
  readonly clock: Clock;
  /** How long to repeat after the first attempt, in milliseconds. */
  readonly retryFor: number;
  /** How often to repeat; attempts the collector ordered with Retry-After are free. */
  readonly maxRetries: number;
}

/** Repeats a request until it is answered for good, or until its time or its retries are used up. */
export class Sender {
  readonly #options: SenderOptions;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /** @throws RetriesExhaustedError, or what `Exchange.abort` and `Gate.close` were given */
  send(makeBody: MakeBody, onRetry: (retry: Retry) => void): Promise<Outcome> {
    const { exchange, gate, clock, retryFor, maxRetries } = this.#options;
    let startedAt: number | undefined;
    let failuresBefore = 0;
    let counted = 0;

    const attemptOnce = async (attempt: number): Promise<Outcome> => {
      const paused = gate.pass();
      if (paused !== undefined) await paused;
      failuresBefore = gate.failures;
      startedAt ??= clock.elapsed();
      const outcome = await exchange.post(await makeBody(), attempt - 1);
      gate.succeeded(failuresBefore);
      return outcome;
    };

    const judge = (error: unknown, attempt: number): void => {
      if (!(error instanceof AnswerError || error instanceof ConnectionError)) {
        // It may be the one the others wait for: another is to be tried after it.
        gate.failed(failuresBefore, undefined);
        throw error;
      }
      const orderedMs = error instanceof AnswerError ? error.retryAfterMs : undefined;
      const delayMs = gate.failed(failuresBefore, orderedMs);
      if (orderedMs === undefined) counted++;
      const elapsedMs = clock.elapsed() - (startedAt ?? 0);
      if (counted > maxRetries || elapsedMs + delayMs > retryFor) {
        throw new RetriesExhaustedError(attempt, { cause: error });
      }
      onRetry({ attempt, delayMs, error });
    };

    // p-retry repeats. When, and how often, is decided by the judge and the gate: the pause is shared by all and may be
    // ordered by the collector.
    const repeat = (): Promise<Outcome> =>
      pRetry((repetition) => attemptOnce(repetition + 1), {
        retries: Number.POSITIVE_INFINITY,
        minTimeout: 0,
        onFailedAttempt: ({ error, attemptNumber }) => judge(error, attemptNumber + 1),
      });

    // The first attempt is nearly always the last.
    return attemptOnce(1).catch((error: unknown) => {
      judge(error, 1);
      return repeat();
    });
  }
}
