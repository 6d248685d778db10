import { OptionError } from '../errors.js';
import { isHeaderName, isHeaderValue, TRAVEL_HEADERS } from '../header-rules.js';

/** Headers that are ours, or that say how a message travels. */
const RESERVED = new Set([
  ...TRAVEL_HEADERS,
  'proxy-authenticate',
  'user-agent',
  'webhook-id',
  'webhook-signature',
  'webhook-timestamp',
  'x-signature',
]);

/**
 * A webhook's static headers, as they were given.
 *
 * @throws OptionError when one is reserved, malformed, or there twice. Values are never named: they may be tokens.
 */
export function checkHeaders(setting: string, headers: Readonly<Record<string, string>>): Record<string, string> {
  const seen = new Set<string>();
  for (const [name, value] of Object.entries(headers)) {
    const at = `${setting}[${JSON.stringify(name)}]`;
    const key = name.toLowerCase();
    // Such as `{ 'Authorization: Bearer …': '' }`, which is not shown.
    if (/[:=]/.test(name)) {
      throw new OptionError('destination', setting, 'an object of names and values', 'one with a value in a name');
    }
    if (!isHeaderName(name))
      throw new OptionError('destination', at, 'a header name: letters, digits and -', 'another text');
    if (RESERVED.has(key)) throw new OptionError('destination', at, 'a header of your own', 'one that is reserved');
    if (seen.has(key)) throw new OptionError('destination', at, 'there once', 'the same name in another case as well');
    if (!isHeaderValue(value)) {
      throw new OptionError(
        'destination',
        at,
        'a header value: text without line breaks or characters beyond Latin-1',
        'another',
      );
    }
    seen.add(key);
  }
  return { ...headers };
}
