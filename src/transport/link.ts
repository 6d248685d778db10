import type { Clock } from '../clock.js';
import type { AttemptError } from '../errors.js';
import { defaultWire } from './default-wire.js';
import { Exchange } from './exchange.js';
import { Gate } from './gate.js';
import { gzip } from './gzip.js';
import { headersFor, type MakeHeaders, type RequestHeaders, withHeaders } from './headers.js';
import type { Route } from './route.js';
import { type Attempt, type Retry, Sender } from './sender.js';
import type { Transport } from './transport.js';

export interface LinkOptions extends Route {
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
export class Link {
  readonly #gate: Gate;
  readonly #exchange: Exchange;
  readonly #sender: Sender;
  readonly #compresses: boolean;
  readonly #destroy: () => void;

  constructor(options: LinkOptions) {
    const { send, destroy } =
      options.transport === undefined ? defaultWire(options) : { send: options.transport, destroy: () => {} };
    const { headers: added } = options;
    this.#gate = new Gate(options);
    this.#exchange = new Exchange({
      ...options,
      transport: typeof added === 'function' ? withHeaders(added, send) : send,
      headers: headersFor(options.writeKey, options.gzip, added),
    });
    this.#sender = new Sender({ ...options, exchange: this.#exchange, gate: this.#gate });
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
    this.#gate.hurry();
  }

  /** Ends everything that is under way or waits. */
  cut(error: Error): void {
    this.#gate.close(error);
    this.#exchange.abort(error);
    this.#destroy();
  }
}

const compressing =
  (attempt: Attempt): Attempt =>
  (post) =>
    attempt((makeBody) => post(async (isRepetition) => gzip(await makeBody(isRepetition))));
