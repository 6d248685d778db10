/**
 * Returns what the furthest trusted proxy added to an `X-Forwarded-…` header. All that stands before it came from the client.
 *
 * @param trustedProxies how many proxies of one's own stand in front
 */
export function forwarded(list: string | undefined, trustedProxies: number): string | undefined {
  if (list === undefined || trustedProxies === 0) return undefined;
  const values = list.split(',');
  const value = values[Math.max(0, values.length - trustedProxies)]?.trim();
  return value === '' ? undefined : value;
}

/**
 * Returns the address of a client: what the furthest trusted proxy says in `X-Forwarded-For`, or that of the connection. Some proxies add a
 * port, and a socket for both families writes an IPv4 address as `::ffff:192.0.2.1`.
 */
export const clientAddress = (
  forwardedFor: string | undefined,
  remoteAddress: string | undefined,
  trustedProxies: number,
): string | undefined =>
  (forwarded(forwardedFor, trustedProxies) ?? remoteAddress)
    ?.replace(/^\[(.*)\](?::\d+)?$|^([\d.]+):\d+$/, '$1$2')
    .replace(/^::ffff:(?=\d+\.)/i, '');
