import type { Clock } from '../clock.js';
import { AnswerError, ConnectionError } from '../errors.js';
import { Outgoing } from './outgoing.js';
import { type Rejection, rejectionsOf } from './rejections.js';
import { retryAfterMs } from './retry-after.js';
import { headerOf, type TransportAnswer } from './transport.js';
import { verdictOf } from './verdict.js';
import type { Send } from './wire.js';

/** What became of a request that was answered for good. */
export type Outcome =
  | { readonly verdict: 'delivered'; readonly status: number; readonly rejections: readonly Rejection[] }
  | { readonly verdict: 'split' | 'rejected'; readonly status: number; readonly answer: string };

export interface ExchangeOptions {
  readonly transport: Send;
  readonly url: string;
  /** Sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly requestTimeout: number;
  readonly clock: Clock;
}

const SHOWN_CHARACTERS = 200;

/** One request and its answer, judged. */
export class Exchange {
  readonly #options: ExchangeOptions;
  readonly #underWay = new Set<Outgoing>();
  #aborted: Error | undefined;

  constructor(options: ExchangeOptions) {
    this.#options = options;
  }

  /**
   * @param retries how often these messages were sent before
   * @throws AnswerError or ConnectionError when the same may be sent again later
   */
  async post(body: Uint8Array<ArrayBuffer>, retries: number): Promise<Outcome> {
    if (this.#aborted !== undefined) throw this.#aborted;
    const { status, retryAfter, text } = await this.#answer(body, retries);
    const verdict = verdictOf(status);
    if (verdict === 'delivered') return { verdict, status, rejections: rejectionsOf(text) };
    const answer = shorten(text);
    if (verdict !== 'retry') return { verdict, status, answer };
    throw new AnswerError(status, answer, retryAfterMs(retryAfter, this.#options.clock.now()));
  }

  /** Ends every request that is under way without waiting for its answer, and lets no other begin. */
  abort(error: Error): void {
    this.#aborted = error;
    for (const request of this.#underWay) request.abort(error);
  }

  /** The transport's answer, or the end of our patience, whichever comes first: a transport need not heed its signal. */
  async #answer(body: Uint8Array<ArrayBuffer>, retries: number): Promise<Reply> {
    const { transport, url, headers, requestTimeout, clock } = this.#options;
    const request = new Outgoing(url, retries === 0 ? headers : { ...headers, 'X-Retry-Count': String(retries) }, body);
    const cancelTimer = clock.after(requestTimeout, () =>
      request.abort(new ConnectionError(`No answer within ${requestTimeout} ms`)),
    );
    this.#underWay.add(request);
    try {
      return await request.answeredBy(ask(transport, request));
    } finally {
      cancelTimer();
      this.#underWay.delete(request);
    }
  }
}

/** What is judged of an answer. */
interface Reply {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly text: string;
}

/** Whatever a transport does wrong is no answer. */
async function ask(transport: Send, request: Outgoing): Promise<Reply> {
  try {
    return read(await transport(request));
  } catch (error) {
    throw error instanceof ConnectionError ? error : new ConnectionError(messageOf(error), { cause: error });
  }
}

/** A transport need not have been written with our types: what it gives is looked at here, and nowhere else. */
function read(answer: TransportAnswer): Reply {
  if (!Number.isInteger(answer?.status)) throw new ConnectionError('The transport gave no answer with a status');
  const text = answer.body ?? '';
  // Which messages were refused stands there: to take it for empty would be to call them delivered.
  if (typeof text !== 'string') throw new ConnectionError('The transport gave an answer whose body is no text');
  return { status: answer.status, retryAfter: headerOf(answer.headers ?? undefined, 'retry-after'), text };
}

const shorten = (text: string): string =>
  text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS)}…`;

/** Something to read: the errors of a host with several addresses come as a group without a message of its own. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ');
  return error instanceof Error ? error.message || error.name : String(error);
}
