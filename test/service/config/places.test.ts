import { expect, test } from 'vitest';
import { formatKeys, type Keys, keyOf, parseKeys, valueAt } from '../../../src/service/config/places.js';

test.each<[Keys, string]>([
  [[], ''],
  [['listen', 'port'], 'listen.port'],
  [['destinations', 0, 'webhooks', 12, 'url'], 'destinations[0].webhooks[12].url'],
  [['headers', 'X-A'], 'headers["X-A"]'],
  [['headers', 'say "hi" [1].b'], 'headers["say \\"hi\\" [1].b"]'],
])('the keys %j are written %s, and read back', (keys, path) => {
  expect(formatKeys(keys)).toBe(path);
  expect(parseKeys(path)).toEqual(keys);
});

test('a key of text and an index are different keys of a map', () => {
  expect(keyOf(['a', 0])).not.toBe(keyOf(['a', '0']));
});

test.each<[Keys, unknown]>([
  [[], { a: [{ b: 1 }] }],
  [['a', 0, 'b'], 1],
  [['a', 1, 'b'], undefined],
  [['a', 0, 'b', 'c'], undefined],
  [['constructor'], undefined],
])('the value at %j is %j', (keys, value) => {
  expect(valueAt({ a: [{ b: 1 }] }, keys)).toEqual(value);
});
