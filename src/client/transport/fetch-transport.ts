import type { HttpTransport, Send } from './http-transport.js';

export interface FetchTransportOptions {
  /** True when a page sends, whose `User-Agent` a script may not change. */
  readonly isOnPage: boolean;
  /** Takes room for a request that is to outlive its page. Returns what gives it back; undefined when there is none. */
  outlivePage(bytes: number, isRepetition: boolean): (() => void) | undefined;
  /** Tells whether the page is gone for good. */
  hasPageEnded(): boolean;
}

/** A page is shown this status of a redirect, wherever it leads. */
const HIDDEN_REDIRECT = 302;

/** Returns undefined for bytes that are not in their encoding. @throws the error of a connection that was cut, after which the batch is repeated */
function undecoded(error: { readonly cause?: { readonly code?: unknown } | undefined }): undefined {
  if (!/^Z_DATA|BROTLI/.test(String(error.cause?.code))) throw error;
}

/** The transport where there is `fetch` and nothing else. */
export function fetchTransport({ isOnPage, outlivePage, hasPageEnded }: FetchTransportOptions): HttpTransport {
  const send: Send = async ({ url, headers: given, body, signal }) => {
    const { 'User-Agent': userAgent, ...others } = given;
    const headers = isOnPage ? others : given;
    const release = outlivePage(body.length, 'X-Retry-Count' in given);
    try {
      const init = { method: 'POST', headers, body, signal, redirect: 'manual' } as const;
      const response = await fetch(url, release === undefined ? init : { ...init, keepalive: true });
      const status = response.type === 'opaqueredirect' ? HIDDEN_REDIRECT : response.status;
      const { headers: answered } = response;
      if (!answered.has('content-encoding')) return { status, headers: answered, body: await response.text() };
      // What is not in the encoding that it names cannot be read, and may name messages that were refused.
      const text = await response.text().catch(undecoded);
      return { status, headers: answered, body: text, truncated: text === undefined };
    } catch (error) {
      // Browsers fail the requests of a page that ends, and yet bring those to their end that are to outlive it. What became of such
      // a request is not known any more, so it is neither repeated nor lost.
      if (release !== undefined && hasPageEnded()) await new Promise(() => {});
      throw error;
    } finally {
      release?.();
    }
  };
  return { send, destroy() {} };
}
