/**
 * The HTTP stage: takes one request, gives one answer. It neither judges nor repeats: its caller does. It
 * rejects when there was no answer. A few lines make one from `fetch`:
 *
 * @example
 * const transport: Transport = async ({ url, headers, body, signal }) => {
 *   const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' });
 *   return { status: response.status, headers: response.headers, body: await response.text() };
 * };
 */
export type Transport = (request: TransportRequest) => Promise<TransportAnswer>;

/** A POST. */
export interface TransportRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes to send. They may change once the answer is there. */
  readonly body: Bytes;
  /** Aborted when the time for this request is up, and when the client gives up. */
  readonly signal: Signal;
}

/** A `Uint8Array` of its own memory, in the words of TypeScript before 5.7, where that is no generic type, as of today. */
export type Bytes = ReturnType<Uint8ArrayConstructor['of']>;

/** The runtime's own AbortSignal, wherever its types come from: the DOM's, Node's, or none. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer S } } ? S : unknown;

export interface TransportAnswer {
  readonly status: number;
  /** Something with `get`, as `fetch` has it, or a record with names in lower case, as Node has it. */
  readonly headers?: AnswerHeaders | undefined;
  /** The body as text. What is past some megabytes may be left out, and then `truncated` says so. */
  readonly body?: string | undefined;
  /**
   * True when a part of the body was left out. A 2xx answer may name the messages that were refused; where that list is cut, none
   * of the batch counts as delivered: it is sent again in smaller parts. @default false
   */
  readonly truncated?: boolean | undefined;
}

export type AnswerHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Reads one header of an answer, however the transport gave them. */
export function headerOf(headers: AnswerHeaders | undefined, name: string): string | undefined {
  if (headers === undefined) return undefined;
  const value: unknown =
    typeof headers['get'] === 'function' ? headers['get'](name) : (headers as Readonly<Record<string, unknown>>)[name];
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' ? first : undefined;
}
