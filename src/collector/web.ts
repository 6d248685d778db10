import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable, Writable } from 'node:stream';
import type { Handler } from './collector-server.js';

/** Handles a web-standard request. A framework may pass more arguments; only the request is used. */
type Fetch = (request: Request) => Promise<Response>;

/**
 * Adapts a node:http handler to web-standard requests, so that both share the same code: each request becomes a Node stream, and
 * what the handler writes becomes the response.
 */
export const toFetch =
  (handler: Handler): Fetch =>
  (request) =>
    new Promise((resolve, reject) => {
      const incoming = new WebIncoming(request);
      const outgoing = new WebOutgoing(request.method === 'HEAD', resolve);
      outgoing.once('close', () => reject(new Error('The request was closed before it was answered')));
      // The handler uses only those members of Node's classes that these two have.
      handler(incoming as unknown as IncomingMessage, outgoing as unknown as ServerResponse);
    });

/** The part of `IncomingMessage` that a handler uses. */
class WebIncoming extends Readable {
  readonly method: string;
  url: string;
  readonly headers: Record<string, string>;
  readonly socket: { readonly encrypted: boolean; readonly remoteAddress: undefined; destroySoon(): void };
  /** True once the whole body has arrived. */
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
    // This shows the collector that other code has already read the body.
    if (isUsed) Object.defineProperty(this, 'readableDidRead', { value: true });
    this.#reader = isUsed ? undefined : request.body?.getReader();
    this.complete = this.#reader === undefined;
    this.#missing = Number(this.headers['content-length'] ?? 0);
    // `close` reports a body that breaks off. Without a listener, an error would end the process.
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
    // Nobody waits for the rest of an abandoned body.
    this.#reader?.cancel().catch(() => {});
    done(error);
  }

  #pass(chunk: Uint8Array): void {
    if (this.destroyed) return;
    this.#missing -= chunk.length;
    this.push(chunk);
  }

  /** Ends the body. One shorter than its headers declare counts as broken off, so the client should send it again. */
  #end(): void {
    if (this.#reader !== undefined && this.#missing > 0) {
      this.destroy();
      return;
    }
    this.complete = true;
    this.push(null);
  }
}

/** Returns the headers that a connection would carry: a request made within a program has no Host and no Content-Length. */
function headersOf({ headers, body }: Request, host: string): Record<string, string> {
  const all: Record<string, string> = { host, ...Object.fromEntries(headers) };
  if (body !== null && all['content-length'] === undefined) all['transfer-encoding'] = 'chunked';
  return all;
}

type HeaderValue = string | number | readonly string[];

/** These headers belong to one connection; the server that sends the response sets its own. */
const OF_CONNECTION = ['connection', 'keep-alive', 'transfer-encoding'];

const WITHOUT_BODY = [204, 205, 304];

/** The part of `ServerResponse` that a handler uses. */
class WebOutgoing extends Writable {
  statusCode = 200;
  headersSent = false;
  readonly #isHead: boolean;
  readonly #respond: (response: Response) => void;
  readonly #headers = new Headers();
  #isWhole = false;
  #isAnswered = false;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  /** Called when the reader of the response asks for more data. */
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

  /** A response that is complete at once needs no stream. */
  override end(...given: unknown[]): this {
    this.#isWhole = !this.#isAnswered && this.writableLength === 0;
    // The arguments are passed on unchanged to the overloads of the base class.
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
    // Node allocates this memory for this process alone, as the body of a response requires.
    const content = body as ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | null;
    this.#respond(new Response(this.#isEmpty ? null : content, { status: this.statusCode, headers: this.#headers }));
  }
}
