import { AnswerError, type AttemptError, isAttemptError, RetriesExhaustedError } from '../../base/errors/errors.js';
import type { Clock } from '../../base/time/clock.js';
import { CircuitBreaker } from './circuit-breaker.js';
import type { RequestHeaders } from './request-headers.js';
import { RequestSize } from './request-size.js';
import type { Requester } from './requester.js';
import type { Outcome } from './response-outcome.js';

/** An attempt that failed and will be repeated. */
export interface Retry {
  /** The number of the attempt, from 1. */
  readonly attempt: number;
  /** How long all sending pauses now, in milliseconds. */
  readonly delayMs: number;
  readonly error: AttemptError;
}

export interface BatchSenderOptions {
  readonly requester: Pick<Requester, 'post' | 'abort'>;
  readonly clock: Clock;
  /** Returns a random number in [0, 1). */
  random(): number;
  /** How long a batch is retried after its first attempt, in milliseconds. */
  readonly retryFor: number;
  /** The most retries of a batch. Retries that the collector ordered with Retry-After do not count. */
  readonly maxRetries: number;
  readonly gzip: boolean;
  /** Compresses bytes with gzip. */
  compress(body: Uint8Array): Promise<Uint8Array<ArrayBuffer>>;
}

/** Sends the client's batches to the collector, several at once. */
export class BatchSender {
  /** The reason why the last attempt failed; undefined if it succeeded. */
  lastFailure: AttemptError | undefined;
  readonly size = new RequestSize();
  readonly breaker: CircuitBreaker;
  readonly options: BatchSenderOptions;

  constructor(options: BatchSenderOptions) {
    this.options = options;
    this.breaker = new CircuitBreaker(options);
  }

  /** @param headers for each request of the batch, in addition to those of all requests */
  begin(headers?: RequestHeaders): Sending {
    return new Sending(this, headers);
  }

  /** Time is running out: ends a pause at once, unless the collector ordered it. */
  hurry(): void {
    this.breaker.hurry();
  }

  /** Ends every request, running or waiting, with an error. */
  cut(error: Error): void {
    this.breaker.close(error);
    this.options.requester.abort(error);
  }
}

/**
 * The attempts to deliver one batch, each with one or more requests, and the pauses between them. All batches share the pauses,
 * which the collector may order.
 */
export class Sending {
  /** How often the messages were sent before. */
  repetitions = 0;
  readonly #sender: BatchSender;
  readonly #headers: RequestHeaders | undefined;
  /** When the first attempt since the last success began. */
  #startedAt: number | undefined;
  /** The failures since then that count against `maxRetries`. */
  #counted = 0;
  /** The size of the last request in bytes, and how many failures in a row its size may have caused. */
  #bytes = 0;
  #failuresOfSize = 0;
  /** True from passing the breaker until the result is reported. Below: the breaker's failures when it was passed. */
  #isThrough = false;
  #failuresBefore = 0;

  constructor(sender: BatchSender, headers: RequestHeaders | undefined) {
    this.#sender = sender;
    this.#headers = headers;
  }

  /**
   * Resolves as soon as sending is not paused; undefined if a request may be made at once. The body is built only then.
   *
   * @throws the error that `cut` was given
   */
  pass(): Promise<void> | undefined {
    const { breaker } = this.#sender;
    // Another request may have failed since this one passed.
    if (this.#isThrough && breaker.failures === this.#failuresBefore) return undefined;
    const paused = breaker.pass();
    if (paused === undefined) this.#begin();
    return paused?.then(() => this.#begin());
  }

  #begin(): void {
    const { breaker, options } = this.#sender;
    this.#failuresBefore = breaker.failures;
    this.#isThrough = true;
    this.#startedAt ??= options.clock.now();
  }

  /** The limit for the messages of the next request, in bytes. A request carries at least one message, however large. */
  get mostBytes(): number {
    return this.#sender.size.mostBytes;
  }

  /**
   * Sends one request.
   *
   * @throws AttemptError if there is no final response, or the error that `cut` was given
   */
  async post(body: Uint8Array<ArrayBuffer>): Promise<Outcome> {
    const { size, options } = this.#sender;
    const { requester, gzip, compress } = options;
    this.#bytes = body.length;
    const outcome = await requester.post(gzip ? await compress(body) : body, this.repetitions, this.#headers);
    this.#failuresOfSize = 0;
    if (body.length > size.mostBytes / 2) size.grow();
    if (!isInDoubt(outcome)) this.#succeed();
    return outcome;
  }

  /** Ends an attempt that has done all its work. */
  finish(): void {
    if (this.#isThrough) this.#succeed();
  }

  /**
   * Pauses all sending after a failed attempt, before it is repeated.
   *
   * @throws RetriesExhaustedError, or the error itself if another attempt would fail in the same way
   */
  fail(error: unknown): Retry {
    const { breaker, options } = this.#sender;
    const { clock, retryFor, maxRetries } = options;
    this.#isThrough = false;
    if (!isAttemptError(error)) {
      // Nothing was sent, and other requests may wait for the result.
      breaker.withdrawn(this.#failuresBefore);
      throw error;
    }
    this.#sender.lastFailure = error;
    this.#failuresOfSize = this.#sender.size.failed(this.#bytes, error, this.#failuresOfSize);
    const orderedMs = error instanceof AnswerError ? error.retryAfterMs : undefined;
    const delayMs = Math.ceil(breaker.failed(this.#failuresBefore, orderedMs));
    if (orderedMs === undefined) this.#counted++;
    const now = clock.now();
    if (this.#counted > maxRetries || now - (this.#startedAt ?? now) + delayMs > retryFor) {
      throw new RetriesExhaustedError(this.repetitions + 1, { cause: error });
    }
    return { attempt: ++this.repetitions, delayMs, error };
  }

  /** Notes that the collector works: all requests may continue, and later failures are counted from zero. */
  #succeed(): void {
    this.#sender.breaker.succeeded(this.#failuresBefore);
    this.#isThrough = false;
    this.#sender.lastFailure = undefined;
    this.#startedAt = undefined;
    this.repetitions = 0;
    this.#counted = 0;
  }
}

/** After a 400 it is unclear whether the collector refuses these messages, or a server in front of it refuses every request. */
const isInDoubt = ({ verdict, status }: Outcome): boolean => verdict === 'split' && status === 400;
