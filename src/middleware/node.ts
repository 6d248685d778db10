import type { RequestView } from './request-fields.js';

/** The part of a `node:http` request that the middleware reads. */
export interface NodeRequest {
  readonly url?: string | undefined;
  /** The original path in Express and Connect, whose routers change `url`. */
  readonly originalUrl?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly socket: { readonly remoteAddress?: string | undefined; readonly encrypted?: unknown };
}

export const viewOfNode = ({ url = '/', originalUrl = url, headers, socket }: NodeRequest): RequestView => ({
  url: originalUrl,
  isEncrypted: socket.encrypted === true,
  remoteAddress: socket.remoteAddress,
  header(name) {
    const value = headers[name];
    return Array.isArray(value) ? value[0] : value;
  },
});
