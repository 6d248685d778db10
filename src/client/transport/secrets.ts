/** Shorter secrets, such as `dev`, are not removed, because they also occur inside other words. */
const SHORTEST_SECRET = 6;

/** Headers that the client sets for each request and that may be shown. */
const HARMLESS = new Set([
  'accept-encoding',
  'content-encoding',
  'content-type',
  'proxy-connection',
  'user-agent',
  'x-retry-count',
]);

/**
 * Removes the write key and the values of the request's headers from a collector's text, which may repeat what it was sent.
 * Credentials are also found without the scheme in front of them.
 */
export function withoutSecrets(text: string, writeKey: string, headers: Readonly<Record<string, string>>): string {
  const values = Object.entries(headers).flatMap(([name, value]) =>
    HARMLESS.has(name.toLowerCase()) ? [] : [value, value.slice(value.indexOf(' ') + 1)],
  );
  // The longest come first, because one secret may be part of another.
  const secrets = [writeKey, ...values]
    .filter(({ length }) => length >= SHORTEST_SECRET)
    .sort((a, b) => b.length - a.length);
  return secrets.length === 0 ? text : text.replace(new RegExp(secrets.map(escaped).join('|'), 'g'), '[secret]');
}

const escaped = (secret: string): string => secret.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
