import type { IncomingHttpHeaders } from 'node:http';
import { contentEncodings } from '../../base/http/content-encoding.js';
import type { Clock } from '../../base/time/clock.js';
import { load } from './load-later.js';
import { credentialsFor, refusedBy } from './proxy.js';
import type { Route } from './route.js';
import type { TransportAnswer, TransportRequest } from './transport.js';

/** A transport that may know more of a request than others do. */
export type Send = (request: AbortableRequest) => Promise<TransportAnswer>;

/** A transport of our own, with its connections. */
export interface HttpTransport {
  /** It is read anew for each request: a transport may change to another way of sending. */
  send: Send;
  /** Cuts running requests and closes every connection. */
  destroy(): void;
}

export interface HttpTransportOptions extends Route {
  /** The most requests that may run at once. */
  readonly concurrency: number;
  /** The longest time of one request, in milliseconds. */
  readonly requestTimeout: number;
  readonly clock: Clock;
}

/** One request on its way. It can be ended from outside, whether or not the transport takes part in that. */
export class AbortableRequest implements TransportRequest {
  readonly url: string;
  headers: Readonly<Record<string, string>>;
  /** The target of the request, where that is not the path of the URL. */
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

  /** The signal is made only for a transport that reads it: it costs as much as a tenth of a request. */
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

  /** The answer, or the reason for which the request was ended, whichever comes first. */
  answeredBy<T>(answer: T | Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      Promise.resolve(answer).then(resolve, reject);
    });
  }
}

/**
 * Has a proxy pass requests on, where there is one and the collector is asked by http: each request names the whole URL (RFC
 * 9112, section 3.2.2).
 */
export function forwarded({ origin, proxy }: Route, send: Send): Send {
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
 * Answers are a few bytes. One that names every message of a full batch as refused, with a long id and a long reason for
 * each, is some megabytes.
 */
const LONGEST_ANSWER_BYTES = 8 * 1_048_576;
const NONE: readonly string[] = [];

const utf8 = /* @__PURE__ */ new TextDecoder();

/** The body of an answer, put together from its chunks, up to 8 MiB. */
export class AnswerBody {
  /** True when there was more than is read. */
  isTruncated = false;
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;

  /** False when that is more than is read of any answer. */
  add(chunk: Uint8Array): boolean {
    this.#bytes += chunk.byteLength;
    this.isTruncated = this.#bytes > LONGEST_ANSWER_BYTES;
    if (!this.isTruncated) this.#chunks.push(chunk);
    return !this.isTruncated;
  }

  /** The answer with this body. A body that cannot be read, although a plain one was asked for, counts as cut. */
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
 * Returns undefined for an unknown encoding, or if the bytes do not match it: some servers name an encoding and send plain text.
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
 * Bytes in gzip begin with a control character that no text has, and text in UTF-16 has a zero for every second byte. Of what is
 * not in the encoding that is named, only JSON, a page and nothing at all are certainly text.
 */
const isText = (bytes: Uint8Array, isEncoded: boolean): boolean =>
  bytes.subarray(0, 32).every((byte) => byte !== 0 && byte !== 0x1f) &&
  (!isEncoded || /^\s*([{["<]|$)/.test(utf8.decode(bytes)));
