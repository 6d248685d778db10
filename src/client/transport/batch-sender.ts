import type { Clock } from '../../clock.js';
import type { AttemptError } from '../../errors.js';
import { CircuitBreaker } from './circuit-breaker.js';
import { defaultTransport } from './default-transport.js';
import { gzip } from './gzip.js';
import { headersFor, type MakeHeaders, type RequestHeaders, withHeaders } from './headers.js';
import { Requester } from './requester.js';
import { type Attempt, type Retry, RetryingSender } from './retrying-sender.js';
import type { Route } from './route.js';
import type { Transport } from './transport.js';

export interface BatchSenderOptions extends Route {
  readonly writeKey: string;
  readonly url: string;
  readonly concurrency: number;
  readonly requestTimeout: number;
  readonly retryFor: number;
  readonly maxRetries: number;
  readonly gzip: boolean;
  readonly headers?: RequestHeaders | MakeHeaders | undefined;
  readonly transport?: Transport | undefined;
  readonly clock: Clock;
  readonly random: () => number;
}

/** The way to the collector. */
export class BatchSender {
  readonly #breaker: CircuitBreaker;
  readonly #requester: Requester;
  readonly #sender: RetryingSender;
  readonly #compresses: boolean;
  readonly #destroy: () => void;

  constructor(options: BatchSenderOptions) {
    const { send, destroy } =
      options.transport === undefined ? defaultTransport(options) : { send: options.transport, destroy: () => {} };
    const { headers: added } = options;
    this.#breaker = new CircuitBreaker(options);
    this.#requester = new Requester({
      ...options,
      transport: typeof added === 'function' ? withHeaders(added, send) : send,
      headers: headersFor(options.writeKey, options.gzip, added),
    });
    this.#sender = new RetryingSender({ ...options, requester: this.#requester, breaker: this.#breaker });
    this.#compresses = options.gzip;
    this.#destroy = destroy;
  }

  /** Why the last attempt failed; undefined when it did not. */
  get lastFailure(): AttemptError | undefined {
    return this.#sender.lastFailure;
  }

  /** @throws RetriesExhaustedError, or what `cut` was given */
  send(attempt: Attempt, onRetry: (retry: Retry) => void): Promise<void> {
    return this.#sender.send(this.#compresses ? compressing(attempt) : attempt, onRetry);
  }

  /** Time is running out: a pause that is only our own patience ends now. */
  hurry(): void {
    this.#breaker.hurry();
  }

  /** Ends every request, running or waiting. */
  cut(error: Error): void {
    this.#breaker.close(error);
    this.#requester.abort(error);
    this.#destroy();
  }
}

const compressing =
  (attempt: Attempt): Attempt =>
  (post) =>
    attempt((makeBody) => post(async (isRepetition) => gzip(await makeBody(isRepetition))));
