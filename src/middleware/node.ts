import type { RequestView } from './request-fields.js';

/** As much of a request of `node:http` as is read. */
export interface NodeRequest {
  readonly url?: string | undefined;
  /** Where Express and Connect keep the path that was asked for, as a router changes `url`. */
  readonly originalUrl?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly socket: { readonly remoteAddress?: string | undefined; readonly encrypted?: unknown };
}

export const viewOfNode = ({ url = '/', originalUrl = url, headers, socket }: NodeRequest): RequestView => ({
  url: originalUrl,
  isEncrypted: socket.encrypted === true,
  // As a socket of both families says an address of IPv4.
  remoteAddress: socket.remoteAddress?.replace(/^::ffff:(?=\d+\.)/, ''),
  header(name) {
    const value = headers[name];
    return Array.isArray(value) ? value[0] : value;
  },
});
