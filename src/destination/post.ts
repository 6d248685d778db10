import type { IncomingHttpHeaders } from 'node:http';
import type { Agent, Dispatcher } from 'undici';
import type { Clock } from '../clock.js';
import { type Answer, TIMEOUT_CODE } from '../delivery/outcome.js';

/** How much of an answer's body is read before the connection is given up. */
const MAX_ANSWER_BYTES = 16 * 1024;

export interface Post {
  readonly agent: Agent;
  readonly clock: Clock;
  readonly url: URL;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
  /** From the first step towards a connection to the last byte of the answer that is read. */
  readonly timeoutMs: number;
  /** How many bytes of an answer that is no success are kept. */
  readonly keptBytes: number;
  /** What is to be made of them. */
  textOf(bytes: Uint8Array): string;
}

/** One POST. Follows no redirect, and never throws: what went wrong is an answer too. */
export function post({ agent, clock, url, headers, body, timeoutMs, keptBytes, textOf }: Post): Promise<Answer> {
  return new Promise((resolve) => {
    const answering = new Answering({ keptBytes, textOf }, (answer) => {
      disarm();
      resolve(answer);
    });
    const disarm = clock.after(timeoutMs, () => answering.giveUp());
    const { origin, pathname, search } = url;
    agent.dispatch({ method: 'POST', origin, path: pathname + search, headers, body }, answering);
  });
}

/** What comes back from one request. By `dispatch`: `request` makes a stream of each answer, and costs half as much again. */
class Answering implements Dispatcher.DispatchHandler {
  readonly #onAnswer: (answer: Answer) => void;
  readonly #keeping: Pick<Post, 'keptBytes' | 'textOf'>;
  #kept: Uint8Array | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #answer: { readonly status: number; readonly retryAfter: string | undefined } | undefined;
  #bytes = 0;
  #isOver = false;

  constructor(keeping: Pick<Post, 'keptBytes' | 'textOf'>, onAnswer: (answer: Answer) => void) {
    this.#keeping = keeping;
    this.#onAnswer = onAnswer;
  }

  /** Time is over. undici is not waited for: while it connects, it has no way yet to abort a request. */
  giveUp(): void {
    this.#end({ code: TIMEOUT_CODE });
    this.#controller?.abort(new Error('No answer in time'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isOver) controller.abort(new Error('No answer in time'));
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // What comes before the answer, such as 103, is none.
    if (status >= 200) this.#answer = { status, retryAfter: headerOf(headers['retry-after']) };
  }

  /** It is read because only then the connection can be used again. */
  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#keep(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > MAX_ANSWER_BYTES) controller.abort(new Error('The answer is too long'));
  }

  onResponseEnd(): void {
    this.#end({ code: 'UNKNOWN' });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#end({ code: codeOf(error) });
  }

  /** The status decides. An endpoint that dawdles over the rest, or sends too much, has answered all the same. */
  #end(otherwise: Answer): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const text = this.#kept && this.#keeping.textOf(this.#kept);
    this.#onAnswer(this.#answer === undefined ? otherwise : { ...this.#answer, ...(text && { text }) });
  }

  #keep(chunk: Uint8Array): void {
    const status = this.#answer?.status ?? 0;
    const room = this.#keeping.keptBytes - this.#bytes;
    if ((status >= 200 && status < 300) || room <= 0) return;
    // A copy: undici uses the memory of a chunk again.
    this.#kept = Buffer.concat([this.#kept ?? Buffer.alloc(0), chunk.subarray(0, room)]);
  }
}

const headerOf = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header[0] : header;

function codeOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  if (typeof code === 'string') return code;
  return typeof name === 'string' ? name : 'UNKNOWN';
}
