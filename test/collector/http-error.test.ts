import { expect, test } from 'vitest';
import { type HttpError, httpErrors } from '../../src/collector/http-error.js';

const cause = new Error('disk full');

test.each<[HttpError, number, string, Record<string, string>]>([
  [httpErrors.emptyBody(), 400, 'empty_body', {}],
  [httpErrors.invalidField('context', 'an object', 'null'), 400, 'invalid_context', {}],
  [httpErrors.bodyTooLarge(7), 400, 'body_too_large', {}],
  [httpErrors.unknownWriteKey(), 401, 'unknown_write_key', { 'WWW-Authenticate': 'Basic realm="eventferry"' }],
  [httpErrors.notFound(), 404, 'not_found', {}],
  [httpErrors.methodNotAllowed('POST'), 405, 'method_not_allowed', { Allow: 'POST' }],
  [httpErrors.bodyTimeout(), 408, 'body_timeout', {}],
  [httpErrors.unsupportedEncoding(), 415, 'unsupported_encoding', { 'Accept-Encoding': 'gzip, deflate, br' }],
  [httpErrors.tooBusy(), 429, 'too_busy', { 'Retry-After': '1' }],
  [httpErrors.clientGone(), 499, 'client_gone', {}],
  [httpErrors.internalError(cause), 500, 'internal_error', {}],
  [httpErrors.notStored(cause), 503, 'not_stored', { 'Retry-After': '5' }],
  [httpErrors.noSources(cause), 503, 'no_sources', { 'Retry-After': '5' }],
  [httpErrors.closing(), 503, 'closing', { 'Retry-After': '5' }],
])('the error %s is answered %i %s', (error, status, code, headers) => {
  expect(error).toMatchObject({ status, code });
  expect(error.headers).toEqual(headers);
});

test.each([
  [0.2, '1'],
  [1, '1'],
  [1.5, '2'],
  [60, '60'],
])('a source that is not admitted for %d s gets a Retry-After of %s whole seconds', (retryAfter, seconds) => {
  const error = httpErrors.notAdmitted({ code: 'too_many', message: 'Too many', retryAfter });
  expect(error).toMatchObject({ status: 429, code: 'too_many', headers: { 'Retry-After': seconds } });
});

test.each([
  [undefined, 'The body is not valid JSON'],
  ['7', 'The body is not valid JSON at position 7'],
])('invalid JSON with the position %s gives the message: %s', (position, message) => {
  expect(httpErrors.invalidJson(position).message).toBe(message);
});

test('the cause of a refusal is kept, but not part of its message', () => {
  const error = httpErrors.notStored(cause);
  expect(error.cause).toBe(cause);
  expect(error.message).not.toContain('disk full');
});
