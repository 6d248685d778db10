import {
  AnswerError,
  type AttemptError,
  ForgottenError,
  isAttemptError,
  LoadError,
  RetriesExhaustedError,
} from '../../base/errors/errors.js';
import type { Clock } from '../../base/time/clock.js';
import { CircuitBreaker } from './circuit-breaker.js';
import type { HttpTransport, HttpTransportOptions } from './http-transport.js';
import { headersFor, type MakeHeaders, type RequestHeaders, withHeaders } from './request-headers.js';
import { RequestSize } from './request-size.js';
import { Requester, type RequesterOptions } from './requester.js';
import type { Outcome } from './response-outcome.js';
import type { Transport } from './transport.js';

/** An attempt that failed and will be repeated. */
export interface Retry {
  /** The number of the attempt, from 1. */
  readonly attempt: number;
  /** All sending pauses for so long now, in milliseconds. */
  readonly delayMs: number;
  readonly error: AttemptError;
}

interface RetryOptions {
  readonly clock: Clock;
  /** A batch is repeated for so long after its first attempt, in milliseconds. */
  readonly retryFor: number;
  /** A batch is repeated so often at most; attempts the collector ordered with Retry-After are free. */
  readonly maxRetries: number;
  readonly gzip: boolean;
  /** The bytes with gzip. */
  compress(body: Uint8Array): Promise<Uint8Array<ArrayBuffer>>;
}

export interface BatchSenderOptions
  extends HttpTransportOptions,
    RetryOptions,
    Omit<RequesterOptions, 'transport' | 'headers'> {
  readonly headers?: RequestHeaders | MakeHeaders | undefined;
  readonly transport?: Transport | undefined;
  /** Makes the transport of a client that is given none. */
  defaultTransport(options: HttpTransportOptions): HttpTransport;
  readonly random: () => number;
}

interface Parts extends RetryOptions {
  readonly requester: Pick<Requester, 'post' | 'abort'>;
  readonly breaker: CircuitBreaker;
  /** Closes every connection. */
  destroy(): void;
}

/** The way to the collector, for many batches at once. */
export class BatchSender {
  /** Why the last attempt failed; undefined when it did not. */
  lastFailure: AttemptError | undefined;
  readonly size = new RequestSize();
  readonly parts: Parts;

  constructor(parts: Parts) {
    this.parts = parts;
  }

  static to(options: BatchSenderOptions): BatchSender {
    const { writeKey, headers: added, gzip } = options;
    const transport: HttpTransport =
      options.transport === undefined ? options.defaultTransport(options) : { send: options.transport, destroy() {} };
    const requester = new Requester({
      ...options,
      transport: typeof added === 'function' ? withHeaders(added, transport) : transport,
      headers: headersFor(writeKey, gzip, added),
    });
    return new BatchSender({
      ...options,
      requester,
      breaker: new CircuitBreaker(options),
      destroy: () => transport.destroy(),
    });
  }

  /** @param headers for each of its requests, beside those of all */
  begin(headers?: RequestHeaders): Sending {
    return new Sending(this, headers);
  }

  /** Time is running out: a pause that is only our own patience ends now. */
  hurry(): void {
    this.parts.breaker.hurry();
  }

  /** Ends every request, running or waiting. */
  cut(error: Error): void {
    this.parts.breaker.close(error);
    this.parts.requester.abort(error);
    this.parts.destroy();
  }
}

/**
 * The attempts at bringing one batch to its end, each of one request or of several, and when the next may be made. The pause between two
 * is shared by all batches, and may be ordered by the collector.
 */
export class Sending {
  /** The messages were sent so often before. */
  repetitions = 0;
  readonly #sender: BatchSender;
  readonly #headers: RequestHeaders | undefined;
  /** When the first attempt began since something succeeded. */
  #startedAt: number | undefined;
  /** The failures since then that count against `maxRetries`. */
  #counted = 0;
  /** The bytes of the last request, and how often in a row its size may have been the reason for a failure. */
  #bytes = 0;
  #failuresOfSize = 0;
  /** True while this one is past the breaker, and has not told yet how it went; and the failures that the breaker told when it passed. */
  #isThrough = false;
  #failuresBefore = 0;

  constructor(sender: BatchSender, headers: RequestHeaders | undefined) {
    this.#sender = sender;
    this.#headers = headers;
  }

  /**
   * Resolves as soon as sending is not paused; undefined when a request may be made at once. What it carries is put together then.
   *
   * @throws what `cut` was given
   */
  pass(): Promise<void> | undefined {
    const { breaker } = this.#sender.parts;
    // Another request may have failed since this one passed.
    if (this.#isThrough && breaker.failures === this.#failuresBefore) return undefined;
    const paused = breaker.pass();
    if (paused === undefined) this.#begin();
    return paused?.then(() => this.#begin());
  }

  #begin(): void {
    const { breaker, clock } = this.#sender.parts;
    this.#failuresBefore = breaker.failures;
    this.#isThrough = true;
    this.#startedAt ??= clock.now();
  }

  /** The limit for the messages of the next request, in bytes. A request carries at least one message, however long. */
  get mostBytes(): number {
    return this.#sender.size.mostBytes;
  }

  /**
   * Sends one request.
   *
   * @throws AttemptError when there is no final answer, or what `cut` was given
   */
  async post(body: Uint8Array<ArrayBuffer>): Promise<Outcome> {
    const { size, parts } = this.#sender;
    const { requester, gzip, compress } = parts;
    this.#bytes = body.length;
    const outcome = await requester.post(gzip ? await compress(body) : body, this.repetitions, this.#headers);
    this.#failuresOfSize = 0;
    if (body.length > size.mostBytes / 2) size.grow();
    if (!isInDoubt(outcome)) this.#succeed();
    return outcome;
  }

  /** An attempt has done all that it was to do. */
  finish(): void {
    if (this.#isThrough) this.#succeed();
  }

  /**
   * Pauses all sending after an attempt that failed, which is then to be made again.
   *
   * @throws RetriesExhaustedError, or the error itself where another attempt would fail as this one did
   */
  fail(error: unknown): Retry {
    const { breaker, clock, retryFor, maxRetries } = this.#sender.parts;
    this.#isThrough = false;
    if (error instanceof LoadError) {
      // Nothing was sent: there is no answer that others could wait for.
      breaker.succeeded(this.#failuresBefore);
      throw error;
    }
    if (error instanceof ForgottenError) {
      breaker.withdrawn(this.#failuresBefore);
      throw error;
    }
    if (!isAttemptError(error)) {
      // It may be the one the others wait for: another is to be tried after it.
      breaker.failed(this.#failuresBefore, undefined);
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

  /** The collector works: everyone may go on, and what fails later begins anew. */
  #succeed(): void {
    this.#sender.parts.breaker.succeeded(this.#failuresBefore);
    this.#isThrough = false;
    this.#sender.lastFailure = undefined;
    this.#startedAt = undefined;
    this.repetitions = 0;
    this.#counted = 0;
  }
}

/** After a 400 it is in doubt who refuses what: the collector these messages, or something in front of it every request. */
const isInDoubt = ({ verdict, status }: Outcome): boolean => verdict === 'split' && status === 400;
