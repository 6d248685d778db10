import { expect, test } from 'vitest';
import { errorOf } from '../../src/admin/admin-errors.js';

test.each([
  [400, 'EVENTFERRY_ADMIN_REFUSED'],
  [401, 'EVENTFERRY_ADMIN_UNAUTHORIZED'],
  [403, 'EVENTFERRY_ADMIN_UNAUTHORIZED'],
  [404, 'EVENTFERRY_ADMIN_NOT_FOUND'],
  [409, 'EVENTFERRY_ADMIN_CONFLICT'],
  [413, 'EVENTFERRY_ADMIN_REFUSED'],
  [429, 'EVENTFERRY_ADMIN_UNAVAILABLE'],
  [500, 'EVENTFERRY_ADMIN_UNAVAILABLE'],
  [503, 'EVENTFERRY_ADMIN_UNAVAILABLE'],
])('an answer with status %i is the error %s', (status, code) => {
  const error = errorOf({ status, reason: 'why', message: 'The reason', retryAfterMs: 5_000 });
  expect(error).toMatchObject({ status, code, reason: 'why', message: 'The reason' });
});

test.each([
  [409, 5_000],
  [429, 5_000],
  [503, 5_000],
  [401, undefined],
])('the error for status %i has the retryAfterMs %s', (status, retryAfterMs) => {
  const error = errorOf({ status, reason: 'why', message: '', retryAfterMs: 5_000 });
  expect((error as { retryAfterMs?: number }).retryAfterMs).toBe(retryAfterMs);
});
