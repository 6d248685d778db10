import { expect, test } from 'vitest';
import { ApiRefusal, refusals } from '../../../src/service/api/refusals.js';

const all = Object.values(refusals).map((make) => (make as (...words: unknown[]) => ApiRefusal)('what', 'expected'));

test('each refusal of the API is an error with a code, a matching status and a message', () => {
  for (const refusal of all) {
    expect(refusal).toBeInstanceOf(ApiRefusal);
    expect(refusal.code).toMatch(/^[a-z_]+$/);
    expect(refusal.status).toBeGreaterThanOrEqual(400);
    expect(refusal.message.length).toBeGreaterThan(3);
  }
});

test('only a refusal that may pass with time has Retry-After', () => {
  for (const { code, status, headers } of all)
    expect('Retry-After' in headers, code).toBe(status === 429 || status === 503);
});

test.each([
  [refusals.unauthorized(), 'WWW-Authenticate', 'Bearer'],
  [refusals.methodNotAllowed('GET, HEAD'), 'Allow', 'GET, HEAD'],
])('the refusal %s has a header that names what is allowed', ({ headers }, name, value) => {
  expect(headers[name]).toBe(value);
});

test('a body that is too large is refused with the limit, and with a hint if there is one', () => {
  expect(refusals.bodyTooLarge(16_384).message).toBe('The body is larger than 16384 bytes');
  expect(refusals.bodyTooLarge(8, 'PUT the whole list').message).toBe(
    'The body is larger than 8 bytes; PUT the whole list',
  );
});

test('a refusal keeps its cause and the wrong line', () => {
  const cause = new Error('the socket closed');
  expect(refusals.brokenOff(cause).cause).toBe(cause);
  const refusal = new ApiRefusal('audience_invalid_member', 'line 7: …', { line: 7 });
  expect([refusal.line, refusal.headers]).toEqual([7, {}]);
});
