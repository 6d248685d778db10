import type { TransportRequest } from './transport.js';

/** One request on its way. It can be ended from outside, whether or not the transport takes part in that. */
export class AbortableRequest implements TransportRequest {
  readonly url: string;
  headers: Readonly<Record<string, string>>;
  /** What is asked for, where that is not the path of the URL. */
  target: string | undefined;
  readonly body: Uint8Array<ArrayBuffer>;
  /** Told when the request is ended. */
  onAbort: ((reason: Error) => void) | undefined;
  #reason: Error | undefined;
  #controller: AbortController | undefined;
  #reject: ((reason: Error) => void) | undefined;

  constructor(url: string, headers: Readonly<Record<string, string>>, body: Uint8Array<ArrayBuffer>) {
    this.url = url;
    this.headers = headers;
    this.body = body;
  }

  /** Made only for a transport that reads it: it costs as much as a tenth of a request. */
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
  answeredBy<T>(answer: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      answer.then(resolve, reject);
    });
  }
}
