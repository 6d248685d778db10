import type { IncomingHttpHeaders } from 'node:http';
import { contentEncodings } from '../../base/http/content-encoding.js';
import type { Clock } from '../../base/time/clock.js';
import { load } from './load-later.js';
import { credentialsFor, refusedBy } from './proxy.js';
import type { CollectorRoute } from './route.js';
import type { TransportAnswer, TransportRequest } from './transport.js';

/** A transport that also gets the details of a request that only our own transports use. */
export type Send = (request: AbortableRequest) => Promise<TransportAnswer>;

/** A transport of our own, with its connections. */
export interface HttpTransport {
  /** Read again for each request, because a transport may change its way of sending. */
  send: Send;
  /** Cuts running requests and closes every connection. */
  destroy(): void;
}

export interface HttpTransportOptions extends CollectorRoute {
  /** The most concurrent requests. */
  readonly concurrency: number;
  /** The longest time of one request, in milliseconds. */
  readonly requestTimeout: number;
  readonly clock: Clock;
}

/** One running request. It can be ended from outside, even if the transport ignores that. */
export class AbortableRequest implements TransportRequest {
  readonly url: string;
  headers: Readonly<Record<string, string>>;
  /** The request target, if it is not the path of the URL. */
  target: string | undefined;
  readonly body: Uint8Array<ArrayBuffer>;
  /** Called when the request is ended. */
  onAbort: ((reason: Error) => void) | undefined;
  #reason: Error | undefined;
  #controller: AbortController | undefined;
  #reject: ((reason: Error) => void) | undefined;

  constructor(url: string, headers: Readonly<Record<string, string>>, body: Uint8Array<ArrayBuffer>) {
    this.url = url;
    this.headers = headers;
    this.body = body;
  }

  /** The signal is created only for a transport that reads it, because it costs up to a tenth of a request. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }

  /** Why the request was ended, if it was. */
  get reason(): Error | undefined {
    return this.#reason;
  }

  abort(reason: Error): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#controller?.abort(reason);
    this.onAbort?.(reason);
    this.#reject?.(reason);
  }

  /** Settles with the response, or with the reason for which the request was ended, whichever comes first. */
  answeredBy<T>(answer: T | Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      Promise.resolve(answer).then(resolve, reject);
    });
  }
}

/**
 * Makes a proxy forward requests if there is one and the collector uses http: each request then names the whole URL (RFC 9112,
 * section 3.2.2).
 */
export function forwarded({ origin, proxy }: CollectorRoute, send: Send): Send {
  if (proxy === undefined || origin.startsWith('https:')) return send;
  return async (request) => {
    request.target = request.url;
    request.headers = { ...request.headers, 'Proxy-Connection': 'keep-alive', ...credentialsFor(proxy) };
    const answer = await send(request);
    if (answer.status === 407) throw refusedBy(proxy);
    return answer;
  };
}

/**
 * The most bytes of a response that are read. Most responses are tiny, but one that names every message of a full batch as
 * refused, each with a long id and reason, is some megabytes.
 */
const LONGEST_ANSWER_BYTES = 8 * 1_048_576;
const NONE: readonly string[] = [];

const utf8 = /* @__PURE__ */ new TextDecoder();

/** The body of a response, assembled from its chunks, up to 8 MiB. */
export class AnswerBody {
  /** True if there was more than is read. */
  isTruncated = false;
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;

  /** Adds a chunk. Returns false if the body is then longer than is read of any response. */
  add(chunk: Uint8Array): boolean {
    this.#bytes += chunk.byteLength;
    this.isTruncated = this.#bytes > LONGEST_ANSWER_BYTES;
    if (!this.isTruncated) this.#chunks.push(chunk);
    return !this.isTruncated;
  }

  /** Returns the response with this body. One that cannot be read, although no encoding was requested, counts as truncated. */
  answer(status: number, headers: IncomingHttpHeaders): TransportAnswer {
    const encodings = headers['content-encoding'] === undefined ? NONE : contentEncodings(headers);
    const [first] = this.#chunks;
    const bytes = first !== undefined && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks);
    const plain = decoded(bytes, encodings) ?? (isText(bytes, encodings.length > 0) ? bytes : undefined);
    const named = encodings.join(', ') || 'binary';
    const body = plain === undefined ? `An answer in ${named} that cannot be read` : utf8.decode(plain);
    return { status, headers, body, truncated: this.isTruncated || plain === undefined };
  }
}

const DECODERS: Readonly<Record<string, 'gunzipSync' | 'inflateSync' | 'brotliDecompressSync'>> = {
  gzip: 'gunzipSync',
  'x-gzip': 'gunzipSync',
  deflate: 'inflateSync',
  br: 'brotliDecompressSync',
};

/**
 * Returns undefined for an unknown encoding, or if the bytes do not match it, because some servers name an encoding but send
 * plain text.
 *
 * @param names the encodings in the order in which they were applied
 */
function decoded(bytes: Uint8Array, names: readonly string[]): Uint8Array | undefined {
  if (names.length === 0 || !names.every((name) => Object.hasOwn(DECODERS, name))) return undefined;
  try {
    const options = { maxOutputLength: LONGEST_ANSWER_BYTES };
    return names.reduceRight((read, name) => load('node:zlib')[DECODERS[name] ?? 'gunzipSync'](read, options), bytes);
  } catch {
    return undefined;
  }
}

/**
 * Returns true if the bytes are text. Gzip begins with a control character that text does not contain, and every second byte of
 * UTF-16 text is zero. If a body does not match its declared encoding, only JSON, a page and an empty body are certainly text.
 */
const isText = (bytes: Uint8Array, isEncoded: boolean): boolean =>
  bytes.subarray(0, 32).every((byte) => byte !== 0 && byte !== 0x1f) &&
  (!isEncoded || /^\s*([{["<]|$)/.test(utf8.decode(bytes)));
