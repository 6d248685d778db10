/** Headers that say how a message travels: the connection's to give, and no user's. In lower case. */
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

// Source: RFC 9110, sections 5.1 and 5.5. Beyond Latin-1 a header has no bytes.
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

export const isHeaderName = (name: string): boolean => NAME.test(name);

export const isHeaderValue = (value: unknown): value is string => typeof value === 'string' && VALUE.test(value);
