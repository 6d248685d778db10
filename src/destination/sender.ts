import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Agent, Dispatcher } from 'undici';
import type { Clock } from '../base/time/clock.js';
import { type Answer, REMOVED_CODE, TIMEOUT_CODE } from '../delivery/attempt-outcome.js';
import { hmacSha1 } from '../signature/sign.js';
import { standardHeaders } from '../signature/standard.js';
import { openAgent } from './agent.js';
import { answerText, READ_ANSWER_BYTES, secretsOf } from './answer-text.js';
import type { ResolvedOptions } from './destination-options.js';
import { Exchange } from './exchange.js';
import type { Lookup } from './ssrf-guard.js';
import type { Webhook } from './webhook.js';

/** Sent with every delivery, whatever the version of the package: endpoints may have rules for it. */
const USER_AGENT = 'eventferry/1.0';

/** No more of an answer's body is read before the connection is given up. */
const MAX_ANSWER_BYTES = 16 * 1024;

/** The answer to a POST, and what went over the wire where anybody wants to know. */
export type Posted = Answer & { readonly exchange?: Exchange | undefined };

/** Gives the body of an event to an endpoint, unless `isOutdated` says otherwise once there is a connection to write to. */
export type Send = (id: string, body: Uint8Array, isOutdated?: () => boolean) => Promise<Posted>;

export interface SenderOptions
  extends Pick<ResolvedOptions, 'concurrency' | 'allowed' | 'keepsAnswers' | 'standardHeaders'> {
  readonly clock: Clock;
  readonly lookup?: Lookup | undefined;
  /** Tells whether anybody wants to know what goes over the wire. */
  wantsExchange(): boolean;
}

const OUTDATED_CODE = 'OUTDATED';

/** Tells whether nothing was sent because `isOutdated` said so. */
export const isOutdated = (answer: Posted): boolean => 'code' in answer && answer.code === OUTDATED_CODE;

/** Posts to one webhook, signed if it has a secret. It has an agent from its first request on: most of very many are quiet. */
export class Sender {
  readonly #webhook: Webhook;
  readonly #url: URL;
  readonly #options: SenderOptions;
  readonly #secrets: readonly string[];
  readonly #open: typeof openAgent;
  #agent: Promise<Agent> | undefined;

  constructor(webhook: Webhook, options: SenderOptions, open = openAgent) {
    this.#open = open;
    this.#webhook = webhook;
    this.#url = new URL(webhook.url);
    this.#options = options;
    this.#secrets = secretsOf({ ...webhook, url: this.#url });
  }

  readonly send: Send = (id, body, isOutdated) =>
    this.#post(id, body, this.#options.keepsAnswers, this.#options.wantsExchange(), isOutdated);

  /** Sends too, and keeps what goes over the wire. */
  readonly test: Send = (id, body) => this.#post(id, body, true, true);

  /** Cuts off every request that runs. */
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
    const { clock, concurrency: connections, allowed, lookup } = this.#options;
    const { timeoutMs } = this.#webhook;
    this.#agent ??= this.#open({ connections, timeoutMs, clock, allowed, lookup });
    const agent = await this.#agent;
    const headers = this.#headersOf(id, body);
    const secrets = this.#secrets;
    const exchange = wantsExchange ? new Exchange(body, headers, secrets) : undefined;
    const reading = { keptBytes: keepsAnswer ? READ_ANSWER_BYTES : 0, secrets, exchange, isOutdated };
    return new Promise((resolve) => {
      const answering = new Answering(reading, (answer) => {
        disarm();
        resolve(answer);
      });
      // Where the process was stopped meanwhile, an answer that came in time is read before this.
      const disarm = clock.after(timeoutMs, () => void setImmediate(() => answering.giveUp()));
      const { origin, pathname, search } = this.#url;
      agent.dispatch({ method: 'POST', origin, path: pathname + search, headers, body }, answering);
    });
  }

  #headersOf(id: string, body: Uint8Array): Record<string, string> {
    const { secret, headers: own } = this.#webhook;
    const headers: Record<string, string> = { 'user-agent': USER_AGENT, 'content-type': 'application/json' };
    if (secret !== undefined) {
      headers['x-signature'] = hmacSha1(body, secret);
      if (this.#options.standardHeaders) {
        const timestampSeconds = Math.floor(this.#options.clock.wall() / 1_000);
        Object.assign(headers, standardHeaders({ id: headerId(id), timestampSeconds, body, secret }));
      }
    }
    return Object.assign(headers, own);
  }
}

/** A delivery to a URL that is configured no more has nowhere to go. */
export const sendToRemoved: Send = async () => ({ code: REMOVED_CODE });

/** A message's id may be any text, but `webhook-id` may not; such an id is named by its hash. */
const headerId = (id: string): string => (/^[!-\-/-~]+$/.test(id) ? id : createHash('sha256').update(id).digest('hex'));

/** Says how an answer is read. */
interface Reading {
  /** The number of bytes of an answer that are kept. Those of a success are kept for the exchange alone. */
  readonly keptBytes: number;
  /** The secrets of the webhook, which are masked in what is kept. */
  readonly secrets: readonly string[];
  /** Takes what came, where anybody wants to know. */
  readonly exchange: Exchange | undefined;
  /** It is asked when there is a connection to write to. A body that is outdated by then is not sent. */
  readonly isOutdated: (() => boolean) | undefined;
}

/** Reads the answer to one request. It never throws, as a failure is an answer too. `dispatch` calls it, because `request` makes a stream of each answer, which costs half as much again. */
class Answering implements Dispatcher.DispatchHandler {
  readonly #onAnswer: (answer: Posted) => void;
  readonly #reading: Reading;
  /** Latin-1: a short text costs less than a short buffer. */
  #kept = '';
  #headers: IncomingHttpHeaders = {};
  #controller: Dispatcher.DispatchController | undefined;
  #answer: { readonly status: number; readonly retryAfter: string | undefined } | undefined;
  #bytes = 0;
  #isOver = false;

  constructor(reading: Reading, onAnswer: (answer: Posted) => void) {
    this.#reading = reading;
    this.#onAnswer = onAnswer;
  }

  /** Time is over. undici is not waited for: while it connects, it has no way yet to abort a request. */
  giveUp(): void {
    if (this.#isOver) return;
    this.#end({ code: TIMEOUT_CODE });
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
    // A status that comes before the answer, such as 103, is none.
    if (status < 200) return;
    this.#answer = { status, retryAfter: headerOf(headers['retry-after']) };
    this.#headers = headers;
  }

  /** It is read because only then the connection can be used again. */
  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#keep(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > MAX_ANSWER_BYTES) controller.abort(new Error('The answer is too long'));
  }

  onResponseEnd(): void {
    this.#end({ code: 'UNKNOWN' });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#end({ code: codeOf(error) });
  }

  /** The status decides. An endpoint that dawdles over the rest, or sends too much, has answered all the same. */
  #end(otherwise: Answer): void {
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
    if (room <= 0 || (exchange === undefined && isSuccess(this.#answer))) return;
    // A copy: undici uses the memory of a chunk again.
    this.#kept += Buffer.from(chunk.buffer, chunk.byteOffset, Math.min(chunk.length, room)).toString('latin1');
  }
}

const isSuccess = (answer: { readonly status: number } | undefined): boolean =>
  answer !== undefined && answer.status >= 200 && answer.status < 300;

const headerOf = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header[0] : header;

function codeOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  if (typeof code === 'string') return code;
  return typeof name === 'string' ? name : 'UNKNOWN';
}
