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
