import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher, Pool } from 'undici';
import { type Connection, isClosed, type PooledRequest } from '../../base/http/connections.js';
import { contentEncodings } from '../../base/http/content-encoding.js';
import type { Clock } from '../../base/time/clock.js';
import {
  CLIENT_CERTIFICATE_CODE,
  type EndpointAnswer,
  NAME_TIMEOUT_CODE,
  REMOVED_CODE,
  TIMEOUT_CODE,
} from '../../delivery/attempt-outcome.js';
import { COMMON_HEADERS } from '../../signature/delivery-headers.js';
import { openAgent } from '../network/agent.js';
import { nameLookup } from '../network/name-lookup.js';
import type { Lookup } from '../network/ssrf-guard.js';
import type { ResolvedDestinationOptions } from '../settings/destination-options.js';
import type { Webhook } from '../settings/webhook.js';
import { answerText, READ_ANSWER_BYTES, secretsOf } from './answer-text.js';
import { Exchange } from './exchange.js';

/** The connection is given up after this many bytes of an answer's body. */
const MAX_ANSWER_BYTES = 16 * 1024;

/** The answer to a POST, with the exchange if a recorder wanted it. */
export type Posted = EndpointAnswer & { readonly exchange?: Exchange | undefined };

/** Sends the body of an event to an endpoint, unless `isOutdated` returns true once there is a connection to write to. */
export type SendRequest = (id: string, body: Uint8Array, isOutdated?: () => boolean) => Promise<Posted>;

export interface SenderOptions
  extends Pick<ResolvedDestinationOptions, 'concurrency' | 'allowed' | 'keepsAnswers' | 'schemes'> {
  readonly clock: Clock;
  /** @default a lookup in which each name waits only for its own name server */
  readonly lookup?: Lookup | undefined;
  /** Returns true if any recorder wants to know what is sent and received. */
  wantsExchange(): boolean;
}

const OUTDATED_CODE = 'OUTDATED';

/** Returns true if nothing was sent because `isOutdated` returned true. */
export const isOutdated = (answer: Posted): boolean => 'code' in answer && answer.code === OUTDATED_CODE;

/** Posts to one webhook, signed if it has a secret. It creates its agent at the first request, because most senders are quiet. */
export class Sender {
  readonly #webhook: Webhook;
  readonly #url: URL;
  readonly #options: SenderOptions;
  readonly #secrets: readonly string[];
  readonly #open: typeof openAgent;
  #agent: Promise<Pool> | undefined;
  /** The number of running lookups of the endpoint's name. */
  #lookups = 0;

  constructor(webhook: Webhook, options: SenderOptions, open = openAgent) {
    this.#open = open;
    this.#webhook = webhook;
    this.#url = new URL(webhook.url);
    this.#options = options;
    this.#secrets = secretsOf({ ...webhook, url: this.#url });
  }

  readonly send: SendRequest = (id, body, isOutdated) =>
    this.#post(id, body, this.#options.keepsAnswers, this.#options.wantsExchange(), isOutdated);

  /** Sends like `send`, and always keeps the exchange. */
  readonly test: SendRequest = (id, body) => this.#post(id, body, true, true);

  /** Cuts off all running requests. */
  async destroy(): Promise<void> {
    await (await this.#agent)?.destroy();
  }

  async #post(
    id: string,
    body: Uint8Array,
    keepsAnswer: boolean,
    wantsExchange: boolean,
    isOutdated?: () => boolean,
  ): Promise<Posted> {
    const { clock, concurrency: connections, allowed } = this.#options;
    const { timeoutMs } = this.#webhook;
    const { origin, pathname, search } = this.#url;
    this.#agent ??= this.#open({ origin, connections, timeoutMs, clock, allowed, lookup: this.#lookup });
    const agent = await this.#agent;
    const headers = this.#headersOf(id, body);
    const secrets = this.#secrets;
    const exchange = wantsExchange ? new Exchange(body, headers, secrets) : undefined;
    const keptBytes = keepsAnswer ? READ_ANSWER_BYTES : 0;
    const request: PooledRequest = { method: 'POST', path: pathname + search, headers, body };
    const reading = { request, keptBytes, secrets, exchange, isOutdated, isLookingUp: () => this.#lookups > 0 };
    return new Promise((resolve) => {
      const answering = new Answering(reading, (answer) => {
        disarm();
        resolve(answer);
      });
      // If the process was suspended, an answer that came in time is read before this runs.
      const disarm = clock.after(timeoutMs, () => void setImmediate(() => answering.giveUp()));
      agent.dispatch(request, answering);
    });
  }

  readonly #lookup: Lookup = (host, options, answer) => {
    const { lookup = nameLookup } = this.#options;
    this.#lookups++;
    lookup(host, options, (...found) => {
      this.#lookups--;
      answer(...found);
    });
  };

  #headersOf(id: string, body: Uint8Array): Record<string, string> {
    const { clock, schemes } = this.#options;
    const { secret, headers: own } = this.#webhook;
    const headers = { ...COMMON_HEADERS };
    if (secret !== undefined) {
      const delivery = { id, body, now: clock.wall() };
      for (const scheme of schemes) Object.assign(headers, scheme.sign(delivery, secret));
    }
    return Object.assign(headers, own);
  }
}

/** Stands in for a sender when the webhook is no longer configured, so there is no URL to send to. */
export const sendToRemoved: SendRequest = async () => ({ code: REMOVED_CODE });

/** How an answer is read. */
interface AnswerReading {
  readonly request: PooledRequest;
  /** How many bytes of an answer are kept. Those of a success are kept only for the exchange. */
  readonly keptBytes: number;
  /** The secrets of the webhook, which are masked in the kept text. */
  readonly secrets: readonly string[];
  /** Receives the headers and the beginning of the answer; undefined if no recorder wants them. */
  readonly exchange: Exchange | undefined;
  /** Called when there is a connection to write to. If it returns true, nothing is sent. */
  readonly isOutdated: (() => boolean) | undefined;
  /** Returns true while the endpoint's name is being looked up. */
  isLookingUp(): boolean;
}

/**
 * Reads the answer to one request. It never throws, because a failure is an answer too. It is used with `dispatch`, because
 * `request` creates a stream for each answer, which costs half as much again.
 */
class Answering implements Dispatcher.DispatchHandler {
  readonly #onAnswer: (answer: Posted) => void;
  readonly #reading: AnswerReading;
  /** A Latin-1 string, because a short string costs less than a short buffer. */
  #kept = '';
  #headers: IncomingHttpHeaders = {};
  #controller: Dispatcher.DispatchController | undefined;
  #answer: { readonly status: number; readonly retryAfter: string | undefined } | undefined;
  #bytes = 0;
  #isOver = false;

  constructor(reading: AnswerReading, onAnswer: (answer: Posted) => void) {
    this.#reading = reading;
    this.#onAnswer = onAnswer;
  }

  /** Ends the request at the deadline without waiting for undici, which cannot abort a request while it connects. */
  giveUp(): void {
    if (this.#isOver) return;
    this.#end({ code: this.#reading.isLookingUp() ? NAME_TIMEOUT_CODE : TIMEOUT_CODE });
    this.#controller?.abort(new Error('No answer in time'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isOver) controller.abort(new Error('No answer in time'));
    else if (this.#reading.isOutdated?.() === true) {
      this.#end({ code: OUTDATED_CODE });
      controller.abort(new Error('Its user was deleted'));
    }
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#answer = { status, retryAfter: headerOf(headers['retry-after']) };
    this.#headers = headers;
  }

  /** Reads the body even if it is not needed, because only then can the connection be reused. */
  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#keep(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > MAX_ANSWER_BYTES) controller.abort(new Error('The answer is too long'));
  }

  onResponseEnd(): void {
    const { connection } = this.#reading.request;
    if (connection !== undefined) connection.isReused = true;
    this.#end({ code: 'UNKNOWN' });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    const { request, isLookingUp } = this.#reading;
    if (!this.#isOver && this.#answer === undefined && request.connection?.repeats(request, this, error)) return;
    this.#end({ code: codeOf(error, request.connection, isLookingUp()) });
  }

  /** The status decides: an endpoint that sends the rest slowly, or sends too much, has still answered. */
  #end(otherwise: EndpointAnswer): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { exchange, secrets } = this.#reading;
    if (this.#answer === undefined) {
      this.#onAnswer({ ...otherwise, exchange });
      return;
    }
    exchange?.answered(this.#headers, this.#kept, this.#bytes);
    const text =
      this.#kept !== '' && !isSuccess(this.#answer) && answerText(Buffer.from(this.#kept, 'latin1'), secrets);
    this.#onAnswer({ ...this.#answer, ...(text && { text }), exchange });
  }

  #keep(chunk: Uint8Array): void {
    const { keptBytes, exchange } = this.#reading;
    const room = keptBytes - this.#bytes;
    if (room <= 0 || isEncoded(this.#headers) || (exchange === undefined && isSuccess(this.#answer))) return;
    // This makes a copy, because undici reuses the memory of a chunk.
    this.#kept += Buffer.from(chunk.buffer, chunk.byteOffset, Math.min(chunk.length, room)).toString('latin1');
  }
}

const isSuccess = (answer: { readonly status: number } | undefined): boolean =>
  answer !== undefined && answer.status >= 200 && answer.status < 300;

const isEncoded = (headers: IncomingHttpHeaders): boolean =>
  headers['content-encoding'] !== undefined && contentEncodings(headers).length > 0;

const headerOf = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header[0] : header;

function codeOf(error: Error, connection: Connection | undefined, isLookingUp: boolean): string {
  const { code, name } = error as Error & { code?: unknown };
  if (typeof code !== 'string') return typeof name === 'string' ? name : 'UNKNOWN';
  const isRefused = isClosed(error) || /^ERR_SSL_.*ALERT/.test(code);
  if (isRefused && connection?.asksForCertificate && !connection.isReused) return CLIENT_CERTIFICATE_CODE;
  // `ETIMEOUT` is the resolver's own timeout.
  return (isLookingUp && code === 'UND_ERR_CONNECT_TIMEOUT') || code === 'ETIMEOUT' ? NAME_TIMEOUT_CODE : code;
}
