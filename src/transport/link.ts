import type { Clock } from '../clock.js';
import { VERSION } from '../version.js';
import { defaultWire } from './default-wire.js';
import { Exchange, type Outcome } from './exchange.js';
import { Gate } from './gate.js';
import { gzip } from './gzip.js';
import { type MakeBody, type Retry, Sender } from './sender.js';
import type { Transport } from './transport.js';

export interface LinkOptions {
  readonly writeKey: string;
  readonly origin: string;
  readonly url: string;
  readonly concurrency: number;
  readonly requestTimeout: number;
  readonly retryFor: number;
  readonly maxRetries: number;
  readonly gzip: boolean;
  readonly transport?: Transport | undefined;
  readonly clock: Clock;
  readonly random: () => number;
}

/** The way to the collector: bodies go in, final answers come out. */
export class Link {
  readonly #gate: Gate;
  readonly #exchange: Exchange;
  readonly #sender: Sender;
  readonly #compresses: boolean;
  readonly #destroy: () => void;

  constructor(options: LinkOptions) {
    const { send, destroy } =
      options.transport === undefined ? defaultWire(options) : { send: options.transport, destroy: () => {} };
    this.#gate = new Gate(options);
    this.#exchange = new Exchange({ ...options, transport: send, headers: headersFor(options) });
    this.#sender = new Sender({ ...options, exchange: this.#exchange, gate: this.#gate });
    this.#compresses = options.gzip;
    this.#destroy = destroy;
  }

  /** @throws RetriesExhaustedError, or what `cut` was given */
  send(makeBody: () => Uint8Array<ArrayBuffer>, onRetry: (retry: Retry) => void): Promise<Outcome> {
    const make: MakeBody = this.#compresses ? () => gzip(makeBody()) : makeBody;
    return this.#sender.send(make, onRetry);
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

function headersFor({ writeKey, gzip: compresses }: LinkOptions): Record<string, string> {
  return {
    Authorization: `Basic ${Buffer.from(`${writeKey}:`).toString('base64')}`,
    'Content-Type': 'application/json',
    'User-Agent': `eventferry/${VERSION}`,
    ...(compresses ? { 'Content-Encoding': 'gzip' } : {}),
  };
}
