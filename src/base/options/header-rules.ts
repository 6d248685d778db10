import { kindOf } from '../text/describe.js';

/** Headers that describe the connection, which sets them itself, so no user may set them. All are in lower case. */
export const TRAVEL_HEADERS: readonly string[] = [
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

// A colon ends the key in Basic authentication (RFC 7617), and a control character ends the header.
export const WRITE_KEY = /^[^:\p{Cc}]+$/u;

export const EXPECTED_WRITE_KEY = 'a non-empty string without a colon or control characters';

export const isWriteKey = (value: unknown): value is string => typeof value === 'string' && WRITE_KEY.test(value);

// Source: RFC 9110, sections 5.1 and 5.5. A header cannot hold characters beyond Latin-1.
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

export interface HeaderFault {
  readonly at: string;
  readonly expected: string;
  readonly received: string;
}

/**
 * Yields the mistakes in headers that a user gave. Never shows a value, or a name that contains one, because it may be a token.
 *
 * @param reserved names that the user may not set, in lower case
 */
export function* faultsInHeaders(
  setting: string,
  headers: Readonly<Record<string, unknown>>,
  reserved: ReadonlySet<string>,
): Generator<HeaderFault, undefined> {
  const seen = new Set<string>();
  for (const [name, value] of Object.entries(headers)) {
    const at = `${setting}[${JSON.stringify(name)}]`;
    const key = name.toLowerCase();
    // This catches mistakes such as `{ 'Authorization: Bearer …': '' }`.
    if (/[:=]/.test(name))
      yield { at: setting, expected: 'an object of names and values', received: 'one with a value in a name' };
    else if (!NAME.test(name)) yield { at, expected: 'a header name: letters, digits and -', received: kindOf(name) };
    else if (reserved.has(key)) yield { at, expected: 'a header of your own', received: 'one that is reserved' };
    else if (seen.has(key)) yield { at, expected: 'there once', received: 'it twice' };
    else if (typeof value !== 'string' || !VALUE.test(value))
      yield { at, expected: 'text without line breaks or characters beyond Latin-1', received: kindOf(value) };
    seen.add(key);
  }
}
