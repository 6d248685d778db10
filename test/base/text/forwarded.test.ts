import { expect, test } from 'vitest';
import { clientAddress, forwarded } from '../../../src/base/text/forwarded.js';

test.each([
  ['a', 0, undefined],
  ['a', 1, 'a'],
  ['forged, a', 1, 'a'],
  ['forged, a, b', 2, 'a'],
  ['a', 2, 'a'],
  ['', 1, undefined],
  [undefined, 1, undefined],
])('from the list %j, %i trusted proxies make forwarded() return %j', (list, trustedProxies, expected) => {
  expect(forwarded(list, trustedProxies)).toBe(expected);
});

test.each([
  [undefined, '10.0.0.9', 1, '10.0.0.9'],
  ['192.0.2.7', '10.0.0.9', 0, '10.0.0.9'],
  ['forged, 192.0.2.7', '10.0.0.9', 1, '192.0.2.7'],
  ['192.0.2.7:50123', '10.0.0.9', 1, '192.0.2.7'],
  ['[2001:db8::1]:50123', '10.0.0.9', 1, '2001:db8::1'],
  ['[2001:db8::1]', '10.0.0.9', 1, '2001:db8::1'],
  [undefined, '::ffff:10.0.0.9', 0, '10.0.0.9'],
  [undefined, '::1', 0, '::1'],
  [undefined, undefined, 0, undefined],
])(
  'clientAddress for X-Forwarded-For %j on a connection from %j with %i trusted proxies is %j',
  (list, remote, trusted, expected) => {
    expect(clientAddress(list, remote, trusted)).toBe(expected);
  },
);
