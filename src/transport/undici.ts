import type { Dispatcher } from 'undici';
import { AnswerBody } from './answer-body.js';
import type { Outgoing } from './outgoing.js';
import { createPool } from './pool.js';
import type { TransportAnswer } from './transport.js';
import type { Wire } from './wire.js';

/**
 * undici's own connections, kept alive, no redirects followed.
 *
 * @param origin `https://events.example.com`
 * @param connections how many requests may be under way at once
 */
export async function undiciWire(origin: string, connections: number): Promise<Wire> {
  const pool = await createPool(origin, { connections, headersTimeout: 0, bodyTimeout: 0 });
  return {
    send(request) {
      const path = request.url.slice(origin.length);
      return new Promise((resolve, reject) => {
        const { headers, body } = request;
        pool.dispatch({ method: 'POST', path, headers, body }, new Answering(request, resolve, reject));
      });
    },
    destroy() {
      // It rejects only what was under way, which is told already.
      pool.destroy().catch(() => {});
    },
  };
}

/** What comes back from one request, put together. It is read to its end, because only then the connection can be used again. */
class Answering implements Dispatcher.DispatchHandler {
  readonly #request: Outgoing;
  readonly #resolve: (answer: TransportAnswer) => void;
  readonly #reject: (error: Error) => void;
  readonly #body = new AnswerBody();
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
    if (this.#body.add(chunk)) return;
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
    this.#resolve({ status: this.#status, headers: this.#headers, body: this.#body.text() });
  }
}
