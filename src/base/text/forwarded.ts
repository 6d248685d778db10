/**
 * Returns what the furthest trusted proxy added to an `X-Forwarded-…` header. Everything before that came from the client and
 * cannot be trusted.
 *
 * @param trustedProxies the number of your own proxies in front of the server
 */
export function forwarded(list: string | undefined, trustedProxies: number): string | undefined {
  if (list === undefined || trustedProxies === 0) return undefined;
  const values = list.split(',');
  const value = values[Math.max(0, values.length - trustedProxies)]?.trim();
  return value === '' ? undefined : value;
}

/**
 * Returns the address of a client: the one that the furthest trusted proxy added to `X-Forwarded-For`, or that of the connection.
 * A port that some proxies add is removed, and so is the `::ffff:` before an IPv4 address on a socket for both families.
 */
export const clientAddress = (
  forwardedFor: string | undefined,
  remoteAddress: string | undefined,
  trustedProxies: number,
): string | undefined =>
  (forwarded(forwardedFor, trustedProxies) ?? remoteAddress)
    ?.replace(/^\[(.*)\](?::\d+)?$|^([\d.]+):\d+$/, '$1$2')
    .replace(/^::ffff:(?=\d+\.)/i, '');
