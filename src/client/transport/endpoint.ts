import { OptionError } from '../../base/errors/errors.js';
import { kindOf } from '../../base/text/describe.js';
import { isBaseUrl } from '../../base/text/http-url.js';
import { printable } from '../../base/text/printable.js';

/** The address of a collector: text, or a `URL`. */
export type Endpoint = string | { readonly href: string };

/** Returns the text of an endpoint, or any other value unchanged. */
const textIn = (given: unknown): unknown =>
  typeof given === 'object' && given !== null && 'href' in given ? given.href : given;

export const endpointText = (endpoint: Endpoint): string => String(textIn(endpoint));

export function isEndpoint(given: unknown): boolean {
  const text = textIn(given);
  if (typeof text !== 'string') return false;
  return isUnixEndpoint(text) || isBaseUrl(text);
}

/** No one types a longer address: a longer text is probably a key in the wrong place. */
const LONGEST_SHOWN = 80;

/** Matches text that looks like an address, and not like a key in the wrong place. */
const ADDRESS =
  /^([a-z][a-z\d+.-]*:)?(\/\/)?(localhost|\[[\da-f:]+\]|[a-z\d-]+(\.[a-z\d-]+)+|[a-z\d-]+(?=:\d))(:\d+)?(\/[^\s@]*)?$/;

const WITHOUT_PROTOCOL = /^(localhost|[\w-]+(\.[\w-]+)*)(:\d+)?(\/|$)/;

/** Describes an invalid endpoint without its user name, password, query and fragment. */
export function describeEndpoint(given: unknown): { received: string; hint?: string } {
  const text = textIn(given);
  if (typeof text !== 'string') return { received: kindOf(given) };
  const shown = text.replace(/[?#].*$/s, '').replace(/^((?:[a-z]+:)?\/\/)?[^/]*@/i, '$1');
  if (shown.length > LONGEST_SHOWN || !ADDRESS.test(shown)) return { received: kindOf(text) };
  const hidden = shown === text ? '' : ', with more that is not shown';
  const received = `'${printable(shown)}'${hidden}`;
  if (!WITHOUT_PROTOCOL.test(shown)) return { received };
  const protocol = /^(localhost|[\d.]+)(:|\/|$)|:\d/.test(shown) ? 'http' : 'https';
  return { received, hint: `Write '${protocol}://${printable(shown)}'` };
}

export const isUnixEndpoint = (endpoint: string): boolean => endpoint.startsWith('unix:');

/**
 * Parses an endpoint on a unix socket: `unix:/run/events.sock`, or with a path prefix, `unix:/run/events.sock:/base`.
 *
 * @throws OptionError
 */
export function parseUnixEndpoint(endpoint: string) {
  const [, socketPath, pathname = '/'] = /^unix:(\/[^:\0]+)(?::(\/[^?#\s]*))?$/.exec(endpoint) ?? [];
  if (socketPath !== undefined) return { socketPath, pathname };
  const expected = 'unix:/path/to/socket, or with a path for the collector unix:/path/to/socket:/base';
  throw new OptionError('client', 'endpoint', expected, kindOf(endpoint));
}
