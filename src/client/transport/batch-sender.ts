import {
  AnswerError,
  type AttemptError,
  isAttemptError,
  LoadError,
  RetriesExhaustedError,
} from '../../base/errors/errors.js';
import type { Clock } from '../../base/time/clock.js';
import { CircuitBreaker } from './circuit-breaker.js';
import type { Refusal } from './explain.js';
import { headersFor, type MakeHeaders, type RequestHeaders, withHeaders } from './headers.js';
import type { HttpTransport, HttpTransportOptions } from './http-transport.js';
import { type Outcome, Requester } from './requester.js';
import type { Route } from './route.js';
import type { Transport } from './transport.js';

/** Makes the body of one request; it is asked anew for each, because `sentAt` differs. */
export type MakeBody = (isRepetition: boolean) => Uint8Array<ArrayBuffer>;

/** Sends one request as soon as sending is not paused. Rejects when there is no final answer. */
export type Post = (makeBody: MakeBody) => Promise<Outcome>;

/**
 * One go at bringing messages to their end, in one request or in several. It is made again when it rejects with an
 * AttemptError, its own or one of `post`.
 */
export type Attempt = (post: Post) => Promise<void>;

/** An attempt that failed and will be repeated. */
export interface Retry {
  /** Which attempt it was, from 1. */
  readonly attempt: number;
  /** How long all sending pauses now, in milliseconds. */
  readonly delayMs: number;
  readonly error: AttemptError;
}

interface RetryOptions {
  readonly clock: Clock;
  /** How long to repeat after the first attempt, in milliseconds. */
  readonly retryFor: number;
  /** How often to repeat; attempts the collector ordered with Retry-After are free. */
  readonly maxRetries: number;
  readonly gzip: boolean;
  /** The bytes with gzip. */
  compress(body: Uint8Array): Promise<Uint8Array<ArrayBuffer>>;
  /** Acts until that succeeds. `judge` is told each failure, and throws to end it. */
  repeat(act: () => Promise<void>, judge: (error: unknown) => void): Promise<void>;
}

export interface BatchSenderOptions extends Route, RetryOptions {
  readonly writeKey: string;
  readonly url: string;
  readonly concurrency: number;
  readonly requestTimeout: number;
  readonly headers?: RequestHeaders | MakeHeaders | undefined;
  readonly transport?: Transport | undefined;
  /** Makes the transport of a client that is given none. */
  defaultTransport(options: HttpTransportOptions): HttpTransport;
  readonly random: () => number;
  /** What may be wrong when a collector refuses for good. */
  adviceOn(refusal: Refusal): string | undefined | Promise<string | undefined>;
  /** Told of each request when it begins. */
  onRequest?(answer: Promise<{ readonly status: number }>): void;
}

interface Parts extends RetryOptions {
  readonly requester: Pick<Requester, 'post' | 'abort'>;
  readonly breaker: CircuitBreaker;
  /** Closes every connection. */
  destroy(): void;
}

/** The way to the collector: repeats an attempt until it succeeds, or until its time or its retries are used up. */
export class BatchSender {
  readonly #parts: Parts;
  readonly #health: Health = { lastFailure: undefined };

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  static to(options: BatchSenderOptions): BatchSender {
    const { writeKey, headers: added, transport, gzip } = options;
    const { send, destroy } =
      transport === undefined ? options.defaultTransport(options) : { send: transport, destroy() {} };
    const requester = new Requester({
      ...options,
      transport: typeof added === 'function' ? withHeaders(added, send) : send,
      headers: headersFor(writeKey, gzip, added),
    });
    return new BatchSender({ ...options, requester, breaker: new CircuitBreaker(options), destroy });
  }

  /** Why the last attempt failed; undefined when it did not. */
  get lastFailure(): AttemptError | undefined {
    return this.#health.lastFailure;
  }

  /**
   * @param headers for each of its requests, beside those of all
   * @throws RetriesExhaustedError, or what `cut` was given
   */
  send(attempt: Attempt, onRetry: (retry: Retry) => void, headers?: RequestHeaders): Promise<void> {
    return new Sending(this.#parts, this.#health, attempt, onRetry, headers).run();
  }

  /** Time is running out: a pause that is only our own patience ends now. */
  hurry(): void {
    this.#parts.breaker.hurry();
  }

  /** Ends every request, running or waiting. */
  cut(error: Error): void {
    this.#parts.breaker.close(error);
    this.#parts.requester.abort(error);
    this.#parts.destroy();
  }
}

/** What all that is sent has in common. */
interface Health {
  lastFailure: AttemptError | undefined;
}

/** One attempt, and its repetitions. */
class Sending {
  readonly #parts: Parts;
  readonly #health: Health;
  readonly #attempt: Attempt;
  readonly #headers: RequestHeaders | undefined;
  readonly #onRetry: (retry: Retry) => void;
  /** When the first attempt began since something succeeded. */
  #startedAt: number | undefined;
  #attempts = 1;
  /** The failures since then that count against `maxRetries`. */
  #counted = 0;
  /** Whether this one is past the breaker, and has not told yet how it went; and what the breaker told when it passed. */
  #isThrough = false;
  #failuresBefore = 0;

  constructor(
    parts: Parts,
    health: Health,
    attempt: Attempt,
    onRetry: (retry: Retry) => void,
    headers: RequestHeaders | undefined,
  ) {
    this.#parts = parts;
    this.#health = health;
    this.#attempt = attempt;
    this.#headers = headers;
    this.#onRetry = onRetry;
  }

  run(): Promise<void> {
    // The first attempt is nearly always the last.
    return this.#attemptOnce().catch((error: unknown) => {
      this.#judge(error);
      return this.#repeat();
    });
  }

  // When, and how often, is decided by `#judge` and the breaker: the pause is shared by all and may be ordered by the collector.
  #repeat(): Promise<void> {
    return this.#parts.repeat(
      () => this.#attemptOnce(),
      (error) => this.#judge(error),
    );
  }

  async #attemptOnce(): Promise<void> {
    await this.#attempt(this.#post);
    if (this.#isThrough) this.#succeed();
  }

  readonly #post: Post = async (makeBody) => {
    const { requester, breaker, clock, gzip, compress } = this.#parts;
    // Another request may have failed since this one passed.
    if (!this.#isThrough || breaker.failures !== this.#failuresBefore) {
      const paused = breaker.pass();
      if (paused !== undefined) await paused;
      this.#failuresBefore = breaker.failures;
      this.#isThrough = true;
      this.#startedAt ??= clock.now();
    }
    const retries = this.#attempts - 1;
    const body = makeBody(retries > 0);
    // Waited for in any case: a request begins after the call that caused it.
    const outcome = await requester.post(await (gzip ? compress(body) : body), retries, this.#headers);
    if (!isInDoubt(outcome)) this.#succeed();
    return outcome;
  };

  /** The collector works: everyone may go on, and what fails later begins anew. */
  #succeed(): void {
    this.#parts.breaker.succeeded(this.#failuresBefore);
    this.#isThrough = false;
    this.#health.lastFailure = undefined;
    this.#startedAt = undefined;
    this.#attempts = 1;
    this.#counted = 0;
  }

  /** Pauses all sending after a failure. @throws when the attempt is not to be made again */
  #judge(error: unknown): void {
    const { breaker, clock, retryFor, maxRetries } = this.#parts;
    this.#isThrough = false;
    if (error instanceof LoadError) {
      // Nothing was sent: there is no answer that others could wait for.
      breaker.succeeded(this.#failuresBefore);
      throw error;
    }
    if (!isAttemptError(error)) {
      // It may be the one the others wait for: another is to be tried after it.
      breaker.failed(this.#failuresBefore, undefined);
      throw error;
    }
    this.#health.lastFailure = error;
    const orderedMs = error instanceof AnswerError ? error.retryAfterMs : undefined;
    const delayMs = breaker.failed(this.#failuresBefore, orderedMs);
    if (orderedMs === undefined) this.#counted++;
    const now = clock.now();
    if (this.#counted > maxRetries || now - (this.#startedAt ?? now) + delayMs > retryFor) {
      throw new RetriesExhaustedError(this.#attempts, { cause: error });
    }
    this.#onRetry({ attempt: this.#attempts++, delayMs, error });
  }
}

/** With 400 a collector may refuse the messages, and something before it whatever comes: the attempt as a whole tells. */
const isInDoubt = ({ verdict, status }: Outcome): boolean => verdict === 'split' && status === 400;
