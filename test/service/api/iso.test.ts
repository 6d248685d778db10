import { expect, test } from 'vitest';
import { iso, isoOr } from '../../../src/service/api/iso.js';

test('a time of the API is in UTC with milliseconds, and null if there is none', () => {
  expect(iso(0)).toBe('1970-01-01T00:00:00.000Z');
  expect(isoOr(1)).toBe('1970-01-01T00:00:00.001Z');
  expect(isoOr(0)).toBe('1970-01-01T00:00:00.000Z');
  expect(isoOr(undefined)).toBeNull();
});
