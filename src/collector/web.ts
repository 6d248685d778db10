import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable, Writable } from 'node:stream';
import type { Handler } from './collector-server.js';

/** Answers a web-standard request. A framework may pass more arguments; only the request is read. */
type Fetch = (request: Request) => Promise<Response>;

/**
 * Lets a handler of node:http answer web-standard requests, so that there is one code for both: each request becomes a stream of
 * Node's, and what is written as the answer becomes the response.
 */
export const toFetch =
  (handler: Handler): Fetch =>
  (request) =>
    new Promise((resolve, reject) => {
      const incoming = new WebIncoming(request);
      const outgoing = new WebOutgoing(request.method === 'HEAD', resolve);
      outgoing.once('close', () => reject(new Error('The request was closed before it was answered')));
      // The handler uses no other members of Node's classes than these two have.
      handler(incoming as unknown as IncomingMessage, outgoing as unknown as ServerResponse);
    });

/** The part of `IncomingMessage` that a handler reads. */
class WebIncoming extends Readable {
  readonly method: string;
  url: string;
  readonly headers: Record<string, string>;
  readonly socket: { readonly encrypted: boolean; readonly remoteAddress: undefined; destroySoon(): void };
  /** True once all of the body has come. */
  complete: boolean;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #missing: number;

  constructor(request: Request) {
    super();
    const { pathname, search, host, protocol } = new URL(request.url);
    this.method = request.method;
    this.url = pathname + search;
    this.headers = headersOf(request, host);
    this.socket = {
      encrypted: protocol === 'https:',
      remoteAddress: undefined,
      destroySoon: () => void this.destroy(),
    };
    const isUsed = request.bodyUsed || request.body?.locked === true;
    // The collector sees by this that somebody has read the body.
    if (isUsed) Object.defineProperty(this, 'readableDidRead', { value: true });
    this.#reader = isUsed ? undefined : request.body?.getReader();
    this.complete = this.#reader === undefined;
    this.#missing = Number(this.headers['content-length'] ?? 0);
    // `close` tells of a body that breaks off. Without a listener, an error would end the process.
    this.on('error', () => {});
  }

  get rawHeaders(): string[] {
    return Object.entries(this.headers).flat();
  }

  override async _read(): Promise<void> {
    try {
      const read = await this.#reader?.read();
      if (read === undefined || read.done) this.#end();
      else this.#pass(read.value);
    } catch {
      this.destroy();
    }
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    // Nobody waits for the rest of a body that is given up.
    this.#reader?.cancel().catch(() => {});
    done(error);
  }

  #pass(chunk: Uint8Array): void {
    if (this.destroyed) return;
    this.#missing -= chunk.length;
    this.push(chunk);
  }

  /** A body shorter than its headers say has broken off, as a connection does, and its client should send it again. */
  #end(): void {
    if (this.#reader !== undefined && this.#missing > 0) {
      this.destroy();
      return;
    }
    this.complete = true;
    this.push(null);
  }
}

/** Headers as a connection would carry them: a request that was made in a program names neither its host nor its body. */
function headersOf({ headers, body }: Request, host: string): Record<string, string> {
  const all: Record<string, string> = { host, ...Object.fromEntries(headers) };
  if (body !== null && all['content-length'] === undefined) all['transfer-encoding'] = 'chunked';
  return all;
}

type HeaderValue = string | number | readonly string[];

/** Headers of one connection; the server that sends the response has its own. */
const OF_CONNECTION = ['connection', 'keep-alive', 'transfer-encoding'];

const WITHOUT_BODY = [204, 205, 304];

/** The part of `ServerResponse` that a handler writes. */
class WebOutgoing extends Writable {
  statusCode = 200;
  headersSent = false;
  readonly #isHead: boolean;
  readonly #respond: (response: Response) => void;
  readonly #headers = new Headers();
  #isWhole = false;
  #isAnswered = false;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  /** Called when the reader of the response wants more. */
  #onPull = (): void => {};

  constructor(isHead: boolean, respond: (response: Response) => void) {
    super();
    this.#isHead = isHead;
    this.#respond = respond;
  }

  setHeader(name: string, value: HeaderValue): this {
    this.#headers.delete(name);
    for (const one of Array.isArray(value) ? value : [value]) this.#headers.append(name, String(one));
    return this;
  }

  writeHead(status: number, headers: Readonly<Record<string, HeaderValue>> = {}): this {
    this.statusCode = status;
    this.headersSent = true;
    for (const [name, value] of Object.entries(headers)) this.setHeader(name, value);
    return this;
  }

  flushHeaders(): void {
    if (!this.#isAnswered) this.#answerWith(this.#createStream());
  }

  /** An answer that is given at once needs no stream. */
  override end(...given: unknown[]): this {
    this.#isWhole = !this.#isAnswered && this.writableLength === 0;
    // The arguments are handed on as they came: the ways to call it are those of the class above.
    return super.end(...(given as [unknown]));
  }

  override _write(chunk: Uint8Array, _encoding: string, done: () => void): void {
    if (this.#isWhole) {
      this.#answerWith(chunk);
      done();
      return;
    }
    this.flushHeaders();
    this.#controller?.enqueue(chunk);
    if (this.#isEmpty || (this.#controller?.desiredSize ?? 0) > 0) done();
    else this.#onPull = done;
  }

  override _final(done: () => void): void {
    if (!this.#isAnswered) this.#answerWith(null);
    this.#controller?.close();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (!this.writableFinished) this.#controller?.error(error ?? new Error('The answer broke off'));
    done(error);
  }

  get #isEmpty(): boolean {
    return this.#isHead || WITHOUT_BODY.includes(this.statusCode);
  }

  #createStream(): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => {
          const goOn = this.#onPull;
          this.#onPull = () => {};
          goOn();
        },
        cancel: () => void this.destroy(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: 1_048_576 }),
    );
  }

  #answerWith(body: ReadableStream<Uint8Array> | Uint8Array | null): void {
    this.#isAnswered = true;
    this.headersSent = true;
    for (const name of OF_CONNECTION) this.#headers.delete(name);
    // Node writes into memory of this process alone, as a response's body requires.
    const content = body as ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | null;
    this.#respond(new Response(this.#isEmpty ? null : content, { status: this.statusCode, headers: this.#headers }));
  }
}
