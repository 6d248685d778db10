import type { Clock } from '../clock.js';
import { AnswerError, ConnectionError, LoadError } from '../errors.js';
import { excerpt } from '../printable.js';
import { connectionErrorOf } from './failure.js';
import { Outgoing } from './outgoing.js';
import { type Rejection, rejectionsOf } from './rejections.js';
import { httpDateMs, retryAfterMs } from './retry-after.js';
import { headerOf, type TransportAnswer } from './transport.js';
import { verdictOf } from './verdict.js';
import type { Send } from './wire.js';

/** What became of a request that was answered for good. */
export type Outcome =
  | { readonly verdict: 'delivered'; readonly status: number; readonly rejections: readonly Rejection[] }
  | {
      /** `split` is also a 2xx that refuses some of the messages and does not say which. */
      readonly verdict: 'split' | 'rejected';
      readonly status: number;
      /** The beginning of the answer, printable. */
      readonly answer: string;
      /** Where a redirect points to. */
      readonly location?: string | undefined;
    };

export interface ExchangeOptions {
  readonly transport: Send;
  readonly url: string;
  /** Sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** What is left out of all that a collector says: it may say back what it was sent. */
  readonly secrets: readonly string[];
  readonly requestTimeout: number;
  readonly clock: Clock;
}

/** Shorter ones are words, as `dev` is, and would be found in other words. */
const SHORTEST_SECRET = 6;

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
    const { status, text: said, isTruncated, header } = await this.#answer(body, retries);
    const text = this.#withoutSecrets(said);
    const verdict = verdictOf(status);
    const answer = excerpt(text);
    if (verdict === 'delivered') {
      const rejections = rejectionsOf(text, isTruncated);
      return rejections === undefined ? { verdict: 'split', status, answer } : { verdict, status, rejections };
    }
    if (verdict !== 'retry') return { verdict, status, answer, location: this.#locationOf(header) };
    // A date is the collector's own, and its clock may differ from ours.
    const nowMs = httpDateMs(header('date')) ?? this.#options.clock.now();
    throw new AnswerError(status, answer, retryAfterMs(header('retry-after'), nowMs));
  }

  /** Ends every request that is under way without waiting for its answer, and lets no other begin. */
  abort(error: Error): void {
    this.#aborted = error;
    for (const request of this.#underWay) request.abort(error);
  }

  #locationOf(header: Reply['header']): string | undefined {
    const location = header('location');
    return location === undefined ? undefined : excerpt(this.#withoutSecrets(location));
  }

  #withoutSecrets(text: string): string {
    const secrets = this.#options.secrets.filter(({ length }) => length >= SHORTEST_SECRET);
    return secrets.reduce((rest, secret) => rest.replaceAll(secret, '[write key]'), text);
  }

  /** The transport's answer, or the end of our patience, whichever comes first: a transport need not heed its signal. */
  async #answer(body: Uint8Array<ArrayBuffer>, retries: number): Promise<Reply> {
    const { transport, url, headers, requestTimeout, clock } = this.#options;
    const request = new Outgoing(url, retries === 0 ? headers : { ...headers, 'X-Retry-Count': String(retries) }, body);
    const cancelTimer = clock.after(requestTimeout, () =>
      request.abort(new ConnectionError(`No answer within ${requestTimeout} ms`, { causeCode: 'REQUEST_TIMEOUT' })),
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
  readonly text: string;
  readonly isTruncated: boolean;
  /** @throws ConnectionError when the transport's own headers throw */
  header(name: string): string | undefined;
}

/** Whatever a transport does wrong is no answer. */
async function ask(transport: Send, request: Outgoing): Promise<Reply> {
  try {
    return read(await transport(request));
  } catch (error) {
    // Our own, of a proxy or of the caller's headers, say it all.
    throw error instanceof LoadError || error instanceof ConnectionError ? error : connectionErrorOf(error);
  }
}

/** A transport need not have been written with our types: what it gives is looked at here, and nowhere else. */
function read(answer: TransportAnswer): Reply {
  if (!Number.isInteger(answer?.status)) throw new TypeError('The transport gave no answer with a status');
  const { status, headers, body: text = '', truncated } = answer;
  // Which messages were refused stands there: to take it for empty would be to call them delivered.
  if (typeof text !== 'string' && text !== null)
    throw new TypeError('The transport gave an answer whose body is no text');
  return { status, text: text ?? '', isTruncated: truncated === true, header: (name) => readHeader(headers, name) };
}

function readHeader(headers: TransportAnswer['headers'], name: string): string | undefined {
  try {
    return headerOf(headers ?? undefined, name);
  } catch (error) {
    throw connectionErrorOf(error);
  }
}
