import { AnswerError, ConnectionError, LoadError } from '../../base/errors/errors.js';
import { isInstance } from '../../base/errors/is-instance.js';
import { excerpt } from '../../base/text/printable.js';
import { httpDateMs, retryAfterMs } from '../../base/time/retry-after.js';
import type { Refusal } from './advice.js';
import { connectionErrorOf } from './failure.js';
import { AbortableRequest, type HttpTransport, type HttpTransportOptions } from './http-transport.js';
import { headersFor, type MakeHeaders, type RequestHeaders, withHeaders } from './request-headers.js';
import {
  classifyStatus,
  type NamedRejection,
  namesFailure,
  namesRejections,
  type Outcome,
} from './response-outcome.js';
import { withoutSecrets } from './secrets.js';
import { headerOf, type Transport, type TransportAnswer } from './transport.js';

export interface RequestReporter {
  readonly events: {
    /** Called when a request begins. */
    requestStarted(url: string, answer: Promise<{ readonly status: number }>): void;
  };
  /** Called when a response that counts as delivered does not look like a collector's. */
  odd(status: number, answer: string): void;
}

export interface RequesterOptions extends HttpTransportOptions {
  readonly url: string;
  readonly gzip: boolean;
  /** Headers that the client sends with every request, in addition to its own. */
  readonly headers?: RequestHeaders | MakeHeaders | undefined;
  readonly transport?: Transport | undefined;
  /** Makes the transport of a client whose options name none. */
  defaultTransport(options: HttpTransportOptions): HttpTransport;
  /** Removed from everything that a collector says. */
  readonly writeKey: string;
  /** Says what may be wrong if a collector refuses permanently. */
  adviceOn(refusal: Refusal): string | undefined | Promise<string | undefined>;
  /** Reads which messages a response refuses; undefined if that cannot be read. */
  rejectionsOf(
    text: string,
    isTruncated: boolean,
    status: number,
  ): readonly NamedRejection[] | undefined | Promise<readonly NamedRejection[] | undefined>;
  readonly reporter?: RequestReporter | undefined;
}

/** Makes requests one after another, and judges the responses. */
export class Requester {
  readonly #options: RequesterOptions;
  readonly #transport: HttpTransport;
  readonly #headers: RequestHeaders;
  readonly #underWay = new Set<AbortableRequest>();
  #aborted: Error | undefined;

  constructor(options: RequesterOptions) {
    const { headers: added, transport: given, writeKey, gzip } = options;
    const transport = given === undefined ? options.defaultTransport(options) : { send: given, destroy() {} };
    this.#options = options;
    this.#transport = typeof added === 'function' ? withHeaders(added, transport) : transport;
    this.#headers = headersFor(writeKey, gzip, added);
  }

  /**
   * @param retries how many times these messages were sent before
   * @param added headers in addition to those of every request
   * @throws AnswerError or ConnectionError if the same request may be sent again later
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
    // A date in Retry-After is by the collector's clock, which may differ from ours.
    const nowMs = httpDateMs(header('date')) ?? this.#options.clock.wall();
    throw new AnswerError(status, answer, retryAfterMs(header('retry-after'), nowMs));
  }

  /** Ends every running request without waiting for its response, closes every connection, and allows no more. */
  abort(error: Error): void {
    this.#aborted = error;
    for (const request of this.#underWay) request.abort(error);
    this.#transport.destroy();
  }

  /** Resolves with the transport's response, or rejects at the deadline, even if the transport ignores its signal. */
  async #answer(body: Uint8Array<ArrayBuffer>, retries: number, added?: RequestHeaders): Promise<Reply> {
    const { url, writeKey, requestTimeout, clock } = this.#options;
    const retryCount = retries === 0 ? undefined : { 'X-Retry-Count': String(retries) };
    const request = new AbortableRequest(url, { ...added, ...this.#headers, ...retryCount }, body);
    const cancelTimer = clock.after(requestTimeout, () => {
      const what = `No answer within ${requestTimeout} ms to a request of ${body.length} bytes`;
      request.abort(new ConnectionError(what, { causeCode: 'REQUEST_TIMEOUT' }));
    });
    this.#underWay.add(request);
    try {
      return read(await request.answeredBy(this.#transport.send(request)), writeKey, request.headers);
    } catch (error) {
      throw error === request.reason ? error : attemptErrorOf(error);
    } finally {
      cancelTimer();
      this.#underWay.delete(request);
    }
  }
}

const NONE: readonly never[] = [];

/** The parts of a response that decide what happens next. Those that may be shown contain no secrets. */
type Reply = ReturnType<typeof read>;

/** Converts a transport's error: any failure counts as no response. Our own errors are kept unchanged. */
const attemptErrorOf = (error: unknown): Error =>
  isInstance(error, LoadError) || isInstance(error, ConnectionError) ? error : connectionErrorOf(error);

/** Checks a transport's response here, and nowhere else, because the transport may be written without our types. */
function read(answer: TransportAnswer, writeKey: string, sent: RequestHeaders) {
  if (!Number.isInteger(answer?.status)) throw new TypeError('The transport gave no status');
  const { status, headers, truncated } = answer;
  const text: unknown = answer.body ?? '';
  // The body may name refused messages; treating it as empty would count them as delivered.
  if (typeof text !== 'string') throw new TypeError('The transport gave no text');
  const verdict = classifyStatus(status);
  const isTruncated = truncated === true || (text.includes('\uFFFD') && !WRITTEN.test(text));
  const isOdd = ODD.test(text);
  // Almost every response says that all messages were accepted. Its text is never shown.
  const isClear = !isTruncated && !isOdd && !namesRejections(text) && !namesFailure(text);
  const isPlain = verdict === 'delivered' && status !== 207 && isClear;
  return {
    status,
    verdict,
    isPlain,
    isOdd,
    text: isPlain ? text : withoutSecrets(text, writeKey, sent),
    isTruncated,
    /** @throws ConnectionError when the transport's own headers throw */
    header(name: string): string | undefined {
      const value = readHeader(headers, name);
      return value === undefined ? undefined : withoutSecrets(value, writeKey, sent);
    },
  };
}

/** Matches an odd response: markup, a success that is false, a status that is an error, and a non-empty error or list of errors. */
const ODD = /^\s*<|"(success|ok)"\s*:\s*false|"status"\s*:\s*"(err|fail)|"errors?"\s*:\s*("[^"]|[[{]\s*[^\]}\s])/i;

/** Matches the start of JSON or of a page. Other text that is not UTF-8 may be encoded bytes. */
const WRITTEN = /^\s*[{["<]/;

function readHeader(headers: TransportAnswer['headers'], name: string): string | undefined {
  try {
    return headerOf(headers ?? undefined, name);
  } catch (error) {
    throw connectionErrorOf(error);
  }
}
