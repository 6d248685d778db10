import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as node from '../../../src/protocol/platform/node.js';
import * as web from '../../../src/protocol/platform/web.js';

test('both platforms export the same names', () => {
  expect(Object.keys(web).sort()).toEqual(Object.keys(node).sort());
});

const two = fc
  .oneof(fc.integer({ min: 0, max: 99 }), fc.constantFrom(0, 1, 12, 23, 24, 28, 29, 30, 31, 59, 60))
  .map((n) => String(n).padStart(2, '0'));
const year = fc.oneof(
  fc.constantFrom('0000', '0001', '0099', '0100', '1900', '1970', '2000', '2023', '2024', '9999'),
  fc.integer({ min: 0, max: 9999 }).map((n) => String(n).padStart(4, '0')),
);
const decimals = fc.tuple(fc.constantFrom('.', ','), fc.stringMatching(/^\d{0,11}$/)).map((parts) => parts.join(''));
const zone = fc.oneof(
  fc.constantFrom('Z', 'z', '', ' ', 'Zz', '+', '-', ' Z', ' UTC', 'GMT', ' UT', '  Z', ' +01:00', ' -0700'),
  fc
    .tuple(fc.constantFrom('+', '-'), two, fc.constantFrom(':', ''), fc.oneof(two, fc.constant('')))
    .map((parts) => parts.join('')),
);
const time = fc
  .tuple(
    fc.constantFrom('T', 't', ' ', 'x'),
    two,
    fc.constantFrom(':', ':', '.'),
    two,
    fc.oneof(
      fc.constant(''),
      two.map((seconds) => `:${seconds}`),
    ),
    fc.oneof(fc.constant(''), decimals),
    zone,
  )
  .map((parts) => parts.join(''));
const isoLike = fc
  .tuple(year, two, two, fc.oneof(fc.constant(''), time))
  .map(([y, month, day, rest]) => `${y}-${month}-${day}${rest}`);

test('the web reads a time as Node does, and refuses what Node refuses', () => {
  fc.assert(
    fc.property(isoLike, (text) => {
      expect(web.parseIso(text, true), text).toBe(node.parseIso(text, true));
    }),
    { numRuns: 3_000 },
  );
});

test.each([
  '2024-02-29',
  '2016-12-31T23:59:60Z',
  '2016-12-31T23:59:60.999-00:00',
  '1969-12-31T23:59:60Z',
  '1969-12-31T23:58:60Z',
  '2017-01-01T08:59:60 +0900',
  '2017-01-01T08:59:60Z',
  '2016-12-31T24:00Z',
  '2016-12-31T24:00:00.000+01:00',
  '2016-12-31T24:00:00.001Z',
  '2016-12-31T24:00:60Z',
  '2024-02-30',
  '2023-02-29T00:00Z',
  '0000-01-01T00:00:00+01:00',
  '0099-12-31',
  '9999-12-31T23:59:59.9999Z',
  '2024-01-01T00:00:00-00:30',
  '2024-01-01T10:00:00+0530',
  '2024-01-01T10+01',
  '',
  'yesterday',
  ' 2024-01-01',
])('the web reads %j as Node does', (text) => {
  expect(web.parseIso(text, true)).toBe(node.parseIso(text, true));
});
