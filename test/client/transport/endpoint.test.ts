import { expect, test } from 'vitest';
import { describeEndpoint, endpointText, isEndpoint } from '../../../src/client/transport/endpoint.js';

test.each<[unknown, string, string | undefined]>([
  ['127.0.0.1:4100', "'127.0.0.1:4100'", "Write 'http://127.0.0.1:4100'"],
  ['localhost:4100', "'localhost:4100'", "Write 'http://localhost:4100'"],
  ['localhost', "'localhost'", "Write 'http://localhost'"],
  ['collector:4100', "'collector:4100'", "Write 'http://collector:4100'"],
  ['events.example.com/in', "'events.example.com/in'", "Write 'https://events.example.com/in'"],
  ['ftp://example.com', "'ftp://example.com'", undefined],
  ['http://user:secret@example.com', "'http://example.com', with more that is not shown", undefined],
  ['user:secret@example.com', "'example.com', with more that is not shown", "Write 'https://example.com'"],
  ['http://example.com/in?key=secret#secret', "'http://example.com/in', with more that is not shown", undefined],
  ['http:/user:secret@example.com', 'a string of 29 characters', undefined],
  ['http://a/b:secret@example.com', 'a string of 29 characters', undefined],
  ['phc_AWriteKeyInTheWrongPlace', 'a string of 28 characters', undefined],
  ['secretkey', 'a string of 9 characters', undefined],
  ['eyJhbGciOi.eyJzdWIiOi.SflKxwRJSM', 'a string of 32 characters', undefined],
  [`http://${'a'.repeat(200)}.example`, 'a string of 215 characters', undefined],
  ['', 'an empty string', undefined],
  [42, 'a number', undefined],
  [undefined, 'undefined', undefined],
])('the endpoint %j is described as %s', (endpoint, received, hint) => {
  expect(describeEndpoint(endpoint)).toEqual({ received, ...(hint && { hint }) });
});

test('a URL object is accepted like its text', () => {
  expect(isEndpoint(new URL('http://127.0.0.1:4100/in'))).toBe(true);
  expect(isEndpoint(new URL('http://user:secret@127.0.0.1:4100'))).toBe(false);
  expect(isEndpoint({ href: 42 })).toBe(false);
  expect(endpointText(new URL('http://127.0.0.1:4100/in'))).toBe('http://127.0.0.1:4100/in');
});
