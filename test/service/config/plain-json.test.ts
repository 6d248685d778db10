import { expect, test } from 'vitest';
import { plainJson } from '../../../src/service/config/plain-json.js';

test('plain JSON is read as it is, whatever looks like a key in its texts', () => {
  const value = { a: [1, true, null, { b: '"c": "d"' }], 'e:': ':', 'f"': { g: {} } };
  expect(plainJson(JSON.stringify(value))).toEqual(value);
  expect(plainJson(JSON.stringify(value, null, 2))).toEqual(value);
});

test.each([
  ['YAML', 'a: 1'],
  ['JSON with a comment', '{"a": 1} # one'],
  ['JSON with a key twice', '{"a": 1, "b": {"c": 2, "c": 3}}'],
  ['JSON with a key twice, once with an escape', '{"a": 1, "\\u0061": 2}'],
  ['JSON with the key of a prototype', '{"a": {"__proto__": 1}}'],
  ['JSON of too many levels', `${'['.repeat(60)}${']'.repeat(60)}`],
])('%s is left to what knows places', (_, text) => {
  expect(plainJson(text)).toBeUndefined();
});
