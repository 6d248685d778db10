import type { IncomingHttpHeaders } from 'node:http';
import { isIP, type Socket } from 'node:net';
import type { Agent, buildConnector, Dispatcher } from 'undici';
import type { Clock } from '../base/time/clock.js';
import { type Answer, TIMEOUT_CODE } from '../delivery/outcome.js';
import type { Cidr } from './address.js';
import { AddressRefusedError } from './errors.js';
import type { Exchange } from './exchange.js';
import { nameLookup } from './name-lookup.js';
import { guard, isReachable, type Lookup } from './ssrf-guard.js';

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
  /** How many bytes of an answer are kept: of a success only for the exchange. */
  readonly keptBytes: number;
  /** Is told what came, where anybody wants to know. */
  readonly exchange: Exchange | undefined;
  /** Asked when there is a connection to write to. What is outdated by then is not sent. */
  readonly isOutdated?: (() => boolean) | undefined;
  /** What is to be made of them. */
  textOf(bytes: Uint8Array): string;
}

/** What came of a POST, and the exchange it was given. */
export type Posted = Answer & { readonly exchange?: Exchange | undefined };

const OUTDATED_CODE = 'OUTDATED';

/** Whether nothing was sent, as `isOutdated` said. */
export const isOutdated = (answer: Posted): boolean => 'code' in answer && answer.code === OUTDATED_CODE;

/** One POST. Follows no redirect, and never throws: what went wrong is an answer too. */
export function post(options: Post): Promise<Posted> {
  const { agent, clock, url, headers, body, timeoutMs } = options;
  return new Promise((resolve) => {
    const answering = new Answering(options, (answer) => {
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
  readonly #onAnswer: (answer: Posted) => void;
  readonly #keeping: Pick<Post, 'keptBytes' | 'textOf' | 'exchange' | 'isOutdated'>;
  /** Latin-1: a short text costs less than a short buffer. */
  #kept = '';
  #headers: IncomingHttpHeaders = {};
  #controller: Dispatcher.DispatchController | undefined;
  #answer: { readonly status: number; readonly retryAfter: string | undefined } | undefined;
  #bytes = 0;
  #isOver = false;

  constructor(
    keeping: Pick<Post, 'keptBytes' | 'textOf' | 'exchange' | 'isOutdated'>,
    onAnswer: (answer: Posted) => void,
  ) {
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
    else if (this.#keeping.isOutdated?.() === true) {
      this.#end({ code: OUTDATED_CODE });
      controller.abort(new Error('Its user was deleted'));
    }
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // What comes before the answer, such as 103, is none.
    if (status < 200) return;
    this.#answer = { status, retryAfter: headerOf(headers['retry-after']) };
    this.#headers = headers;
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
    const { exchange, textOf } = this.#keeping;
    if (this.#answer === undefined) {
      this.#onAnswer({ ...otherwise, exchange });
      return;
    }
    exchange?.answered(this.#headers, this.#kept, this.#bytes);
    const text = this.#kept !== '' && !isSuccess(this.#answer) && textOf(Buffer.from(this.#kept, 'latin1'));
    this.#onAnswer({ ...this.#answer, ...(text && { text }), exchange });
  }

  #keep(chunk: Uint8Array): void {
    const { keptBytes, exchange } = this.#keeping;
    const room = keptBytes - this.#bytes;
    if (room <= 0 || (exchange === undefined && isSuccess(this.#answer))) return;
    // A copy: undici uses the memory of a chunk again.
    this.#kept += Buffer.from(chunk.buffer, chunk.byteOffset, Math.min(chunk.length, room)).toString('latin1');
  }
}

const isSuccess = (answer: { readonly status: number } | undefined): boolean =>
  answer !== undefined && answer.status >= 200 && answer.status < 300;

const headerOf = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header[0] : header;

function codeOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  if (typeof code === 'string') return code;
  return typeof name === 'string' ? name : 'UNKNOWN';
}

export interface AgentOptions {
  /** The most connections at once. */
  connections: number;
  /** How long a connection may take to come about, in ms: its name's lookup, TCP and TLS together. */
  timeoutMs: number;
  clock: Clock;
  allowed: readonly Cidr[];
  /** @default one in which a name waits for its own name server alone */
  lookup?: Lookup | undefined;
}

/**
 * Connections for one endpoint. What a name leads to is judged where the socket gets its address from, so there is no
 * moment in between at which the name could lead elsewhere.
 */
export async function openAgent({
  connections,
  timeoutMs,
  clock,
  allowed,
  lookup = nameLookup,
}: AgentOptions): Promise<Agent> {
  const { Agent, buildConnector, errors } = await import('undici');
  const connect = buildConnector({
    // The types know the callback in one of its two forms only.
    lookup: guard(lookup, allowed) as never,
    // Said here, because an environment variable can turn the default off.
    rejectUnauthorized: true,
    // undici's own timer is up to a second late.
    timeout: 0,
  });
  const inTime = withDeadline(connect as Connect, (giveUp) =>
    clock.after(timeoutMs, () => giveUp(new errors.ConnectTimeoutError('No connection in time'))),
  );
  return new Agent({ connections, pipelining: 1, connect: guardLiteral(inTime, allowed) });
}

/** The types leave out that a connector returns the socket with which it tries to connect. */
type Connect = (...args: Parameters<buildConnector.connector>) => Socket;

/** Destroys a socket that is not connected by the deadline. `arm` returns what disarms it. */
const withDeadline =
  (connect: Connect, arm: (giveUp: (error: Error) => void) => () => void): buildConnector.connector =>
  (options, callback) => {
    const socket = connect(options, (...result) => {
      disarm();
      callback(...result);
    });
    const disarm = arm((error) => socket.destroy(error));
  };

/** No lookup is made for an address that is written out. */
const guardLiteral =
  (connect: buildConnector.connector, allowed: readonly Cidr[]): buildConnector.connector =>
  (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) === 0 || isReachable(host, allowed)) connect(options, callback);
    else callback(new AddressRefusedError(host), null);
  };
