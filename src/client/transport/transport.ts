/**
 * The HTTP stage: sends one request and returns the response. It neither judges nor repeats; its caller does. It rejects if there
 * was no response. For example, with `fetch`:
 *
 * @example
 * const transport: Transport = async ({ url, headers, body, signal }) => {
 *   const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' });
 *   return { status: response.status, headers: response.headers, body: await response.text() };
 * };
 */
export type Transport = (request: TransportRequest) => Promise<TransportAnswer>;

/** A POST request. */
export interface TransportRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes to send. They may change after the response has arrived. */
  readonly body: Bytes;
  /** Aborted when the time for this request is up, or when the client gives up. */
  readonly signal: Signal;
}

/** A `Uint8Array` with its own memory, in a form that works before TypeScript 5.7, where the type is not generic. */
export type Bytes = ReturnType<Uint8ArrayConstructor['of']>;

/** The runtime's own AbortSignal, from the types of the DOM or of Node, if there are any. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer S } } ? S : unknown;

export interface TransportAnswer {
  readonly status: number;
  /** An object with `get`, as in `fetch`, or a record with lower-case names, as in Node. */
  readonly headers?: AnswerHeaders | undefined;
  /** The body as text. Anything after some megabytes may be left out; `truncated` says so. */
  readonly body?: string | undefined;
  /**
   * True if a part of the body was left out. A 2xx response may name refused messages; if that list is incomplete, none of the
   * batch counts as delivered, and it is sent again in smaller parts. @default false
   */
  readonly truncated?: boolean | undefined;
}

export type AnswerHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Reads a header of a response, in any form in which the transport returned them. */
export function headerOf(headers: AnswerHeaders | undefined, name: string): string | undefined {
  if (headers === undefined) return undefined;
  const value: unknown =
    typeof headers['get'] === 'function' ? headers['get'](name) : (headers as Readonly<Record<string, unknown>>)[name];
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' ? first : undefined;
}
