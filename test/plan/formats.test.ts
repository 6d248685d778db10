import { expect, test } from 'vitest';
import { FORMATS } from '../../src/plan/formats.js';

test.each([
  ['date', '2026-11-20', '20.11.2026'],
  ['time', '12:00:00Z', 'noon'],
  ['date-time', '2026-11-20T12:00:00.000Z', '2026-11-20'],
  ['duration', 'P1DT2H', '1 day'],
  ['email', 'a@example.com', 'a at example.com'],
  ['hostname', 'example.com', '-.com'],
  ['ipv4', '127.0.0.1', '256.0.0.1'],
  ['ipv6', '::1', '1'],
  ['uri', 'https://example.com/a?b', 'a b'],
  ['uri-reference', '/a?b', '\\'],
  ['uuid', '2f6fd8c1-7f2a-4d53-9c39-5a0a1a1d6a3b', '2f6fd8c1'],
])('the format %s accepts %j and rejects %j', (name, right, wrong) => {
  expect(FORMATS.get(name)?.test(right)).toBe(true);
  expect(FORMATS.get(name)?.test(wrong)).toBe(false);
});

test('every format that is checked has an example here', () => {
  expect(FORMATS.size).toBe(11);
});
