import { AnswerError, ConnectionError, LoadError } from '../../base/errors/errors.js';
import { isInstance } from '../../base/errors/is-instance.js';
import { excerpt } from '../../base/text/printable.js';
import type { Clock } from '../../base/time/clock.js';
import { httpDateMs, retryAfterMs } from '../../base/time/retry-after.js';
import type { Refusal } from './advice.js';
import { connectionErrorOf } from './failure.js';
import { AbortableRequest, type HttpTransport } from './http-transport.js';
import type { RequestHeaders } from './request-headers.js';
import { classifyStatus, namesRejections, type Outcome, type Rejection, type Verdict } from './response-outcome.js';
import { withoutSecrets } from './secrets.js';
import { headerOf, type TransportAnswer } from './transport.js';

export interface RequestReporter {
  readonly events: {
    /** Hears of each request when it begins. */
    requestStarted(url: string, answer: Promise<{ readonly status: number }>): void;
  };
  /** An answer that counts as delivered does not look like one of a collector. */
  odd(status: number, answer: string): void;
}

export interface RequesterOptions {
  readonly transport: Pick<HttpTransport, 'send'>;
  readonly url: string;
  /** Sent with every request. */
  readonly headers: RequestHeaders;
  /** Left out of all that a collector says. */
  readonly writeKey: string;
  readonly requestTimeout: number;
  readonly clock: Clock;
  /** Says what may be wrong when a collector refuses for good. */
  adviceOn(refusal: Refusal): string | undefined | Promise<string | undefined>;
  /** Reads what an answer says of refused messages; undefined when that cannot be read. */
  rejectionsOf(
    text: string,
    isTruncated: boolean,
    status: number,
  ): readonly Rejection[] | undefined | Promise<readonly Rejection[] | undefined>;
  readonly reporter?: RequestReporter | undefined;
}

/** Makes one request after the other, and judges the answers. */
export class Requester {
  readonly #options: RequesterOptions;
  readonly #underWay = new Set<AbortableRequest>();
  #aborted: Error | undefined;

  constructor(options: RequesterOptions) {
    this.#options = options;
  }

  /**
   * @param retries how often these messages were sent before
   * @param added headers beside those of every request
   * @throws AnswerError or ConnectionError when the same may be sent again later
   */
  async post(body: Uint8Array<ArrayBuffer>, retries: number, added?: RequestHeaders): Promise<Outcome> {
    if (this.#aborted !== undefined) throw this.#aborted;
    const answering = this.#answer(body, retries, added);
    this.#options.reporter?.events.requestStarted(this.#options.url, answering);
    const { status, verdict, isPlain, isOdd, text, isTruncated, header } = await answering;
    if (isPlain) return { verdict: 'delivered', status, rejections: NONE };
    const rejections =
      verdict === 'delivered' || status === 400
        ? await this.#options.rejectionsOf(text, isTruncated, status)
        : undefined;
    const answer = excerpt(text);
    if (verdict === 'delivered' && rejections !== undefined) {
      if (isOdd) this.#options.reporter?.odd(status, answer);
      return { verdict, status, rejections };
    }
    if (verdict === 'delivered') return { verdict: 'split', status, answer };
    if (verdict !== 'retry') {
      const location = header('location');
      const refusal = { status, answer, location: location && excerpt(location) };
      return { verdict, status, answer, rejections, advice: await this.#options.adviceOn(refusal) };
    }
    // A date is the collector's own, and its clock may differ from ours.
    const nowMs = httpDateMs(header('date')) ?? this.#options.clock.wall();
    throw new AnswerError(status, answer, retryAfterMs(header('retry-after'), nowMs));
  }

  /** Ends every running request without waiting for its answer, and lets no other begin. */
  abort(error: Error): void {
    this.#aborted = error;
    for (const request of this.#underWay) request.abort(error);
  }

  /** The transport's answer, or the end of our patience, whichever comes first: a transport need not heed its signal. */
  async #answer(body: Uint8Array<ArrayBuffer>, retries: number, added?: RequestHeaders): Promise<Reply> {
    const { transport, url, writeKey, headers, requestTimeout, clock } = this.#options;
    const retryCount = retries === 0 ? undefined : { 'X-Retry-Count': String(retries) };
    const request = new AbortableRequest(url, { ...added, ...headers, ...retryCount }, body);
    const cancelTimer = clock.after(requestTimeout, () => {
      const what = `No answer within ${requestTimeout} ms to a request of ${body.length} bytes`;
      request.abort(new ConnectionError(what, { causeCode: 'REQUEST_TIMEOUT' }));
    });
    this.#underWay.add(request);
    try {
      const reply = read(await request.answeredBy(transport.send(request)));
      return reply.isPlain ? reply : hidden(reply, (text) => withoutSecrets(text, writeKey, request.headers));
    } catch (error) {
      throw error === request.reason ? error : attemptErrorOf(error);
    } finally {
      cancelTimer();
      this.#underWay.delete(request);
    }
  }
}

const NONE: readonly never[] = [];

const hidden = (reply: Reply, hide: (text: string) => string): Reply => ({
  ...reply,
  text: hide(reply.text),
  header(name) {
    const value = reply.header(name);
    return value === undefined ? undefined : hide(value);
  },
});

/** The parts of an answer that are judged. */
interface Reply {
  readonly status: number;
  readonly verdict: Verdict;
  /** True when the answer says that all messages were taken, as almost every one does. Nothing of it is ever shown. */
  readonly isPlain: boolean;
  /** True for a page, and for an answer that says it is no success. */
  readonly isOdd: boolean;
  readonly text: string;
  readonly isTruncated: boolean;
  /** @throws ConnectionError when the transport's own headers throw */
  header(name: string): string | undefined;
}

/** Whatever a transport does wrong is no answer. Our own errors, of a proxy or of the caller's headers, say it all. */
const attemptErrorOf = (error: unknown): Error =>
  isInstance(error, LoadError) || isInstance(error, ConnectionError) ? error : connectionErrorOf(error);

/** A transport need not have been written with our types: what it gives is looked at here, and nowhere else. */
function read(answer: TransportAnswer): Reply {
  if (!Number.isInteger(answer?.status)) throw new TypeError('The transport gave no status');
  const { status, headers, truncated } = answer;
  const text: unknown = answer.body ?? '';
  // The body names the messages that were refused: to take it for empty would be to call them delivered.
  if (typeof text !== 'string') throw new TypeError('The transport gave no text');
  const verdict = classifyStatus(status);
  const isTruncated = truncated === true || (text.includes('\uFFFD') && !WRITTEN.test(text));
  const isOdd = ODD.test(text);
  const isPlain = verdict === 'delivered' && status !== 207 && !isTruncated && !isOdd && !namesRejections(text);
  return {
    status,
    verdict,
    isPlain,
    isOdd,
    text,
    isTruncated,
    header(name) {
      return readHeader(headers, name);
    },
  };
}

/** Markup, a success that is false, a status that is an error, and an error or a list of them that holds anything. */
const ODD = /^\s*<|"(success|ok)"\s*:\s*false|"status"\s*:\s*"(err|fail)|"errors?"\s*:\s*("[^"]|[[{]\s*[^\]}\s])/i;

/** JSON, or a page. What else is not UTF-8 may be bytes in an encoding. */
const WRITTEN = /^\s*[{["<]/;

function readHeader(headers: TransportAnswer['headers'], name: string): string | undefined {
  try {
    return headerOf(headers ?? undefined, name);
  } catch (error) {
    throw connectionErrorOf(error);
  }
}
