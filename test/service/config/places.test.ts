import { expect, test } from 'vitest';
import type { Keys } from '../../../src/base/options/key-path.js';
import { formatKeys, keyOf } from '../../../src/service/config/places.js';

test.each<[Keys, string]>([
  [[], ''],
  [['listen', 'port'], 'listen.port'],
  [['destinations', 0, 'webhooks', 12, 'url'], 'destinations[0].webhooks[12].url'],
  [['headers', 'X-A'], 'headers["X-A"]'],
  [['headers', 'say "hi" [1].b'], 'headers["say \\"hi\\" [1].b"]'],
])('the keys %j are formatted as %s', (keys, path) => {
  expect(formatKeys(keys)).toBe(path);
});

test('a key that is a text and an index have different map keys', () => {
  expect(keyOf(['a', 0])).not.toBe(keyOf(['a', '0']));
});
