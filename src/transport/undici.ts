import type { Dispatcher } from 'undici';
import type { Send } from './exchange.js';
import type { Outgoing } from './outgoing.js';
import { createPool } from './pool.js';
import type { TransportAnswer } from './transport.js';

/** Answers are a few bytes; one that names every message of a full batch as refused is some hundred thousand. */
const LONGEST_ANSWER_BYTES = 1_048_576;

/** The transport used unless another is given: undici's own connections, kept alive, no redirects followed. */
export interface UndiciTransport {
  readonly send: Send;
  /** Cuts what is under way and closes every connection. */
  destroy(): void;
}

/**
 * @param origin `https://events.example.com`
 * @param connections how many requests may be under way at once
 */
export function undiciTransport(origin: string, connections: number): UndiciTransport {
  // Loading undici takes longer than all the rest of a short script, so it begins now and nobody waits for it yet.
  const loading = createPool(origin, { connections, headersTimeout: 0, bodyTimeout: 0 });
  loading.catch(() => {});
  return {
    async send(request) {
      const pool = await loading;
      const path = request.url.slice(origin.length);
      return new Promise((resolve, reject) => {
        const { headers, body } = request;
        pool.dispatch({ method: 'POST', path, headers, body }, new Answering(request, resolve, reject));
      });
    },
    destroy() {
      loading.then((pool) => pool.destroy()).catch(() => {});
    },
  };
}

const utf8 = new TextDecoder();

/** What comes back from one request, put together. It is read to its end, because only then the connection can be used again. */
class Answering implements Dispatcher.DispatchHandler {
  readonly #request: Outgoing;
  readonly #resolve: (answer: TransportAnswer) => void;
  readonly #reject: (error: Error) => void;
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;
  #status = 0;
  #headers: TransportAnswer['headers'];

  constructor(request: Outgoing, resolve: (answer: TransportAnswer) => void, reject: (error: Error) => void) {
    this.#request = request;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // It may have been given up while the connection was made.
    if (this.#request.reason !== undefined) controller.abort(this.#request.reason);
    else this.#request.onAbort = (reason) => controller.abort(reason);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: TransportAnswer['headers']): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#bytes += chunk.byteLength;
    if (this.#bytes <= LONGEST_ANSWER_BYTES) {
      this.#chunks.push(chunk);
      return;
    }
    this.#answer();
    controller.abort(new Error('The answer is too long'));
  }

  onResponseEnd(): void {
    this.#answer();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#reject(error);
  }

  #answer(): void {
    const [first] = this.#chunks;
    const bytes = this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks);
    const body = utf8.decode(bytes);
    this.#resolve({ status: this.#status, headers: this.#headers, body });
  }
}
