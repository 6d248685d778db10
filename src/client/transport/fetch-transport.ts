import type { HttpTransport, Send } from './http-transport.js';

export interface FetchTransportOptions {
  /** True on a page, where a script may not change the `User-Agent`. */
  readonly isOnPage: boolean;
  /** Reserves bytes for a request that should outlive its page. Returns a function that releases them, if there was room. */
  outlivePage(bytes: number, isRepetition: boolean): (() => void) | undefined;
  /** Returns true if the page is gone for good. */
  hasPageEnded(): boolean;
}

/** A page never sees the status of a redirect. This one stands for all of them. */
const HIDDEN_REDIRECT = 302;

/** Returns undefined for a body that does not match its encoding. @throws the error of a broken connection */
function undecoded(error: { readonly cause?: { readonly code?: unknown } | undefined }): undefined {
  if (!/^Z_DATA|BROTLI/.test(String(error.cause?.code))) throw error;
}

/** Makes the transport for platforms that only have `fetch`. */
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
      // A body that does not match its encoding cannot be read, and may name refused messages.
      const text = await response.text().catch(undecoded);
      return { status, headers: answered, body: text, truncated: text === undefined };
    } catch (error) {
      // When a page ends, browsers report its requests as failed, but still complete those that may outlive it. The result of
      // such a request is unknown, so it is neither repeated nor counted as lost.
      if (release !== undefined && hasPageEnded()) await new Promise(() => {});
      throw error;
    } finally {
      release?.();
    }
  };
  return { send, destroy() {} };
}
