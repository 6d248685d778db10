import { expect, test } from 'vitest';
import { configText } from '../../../src/service/config/config-text.js';

test('a text of plain JSON has its value, and the places of its parts on request', () => {
  const text = configText('{\n  "a": 1\n}');
  expect(text.json).toEqual({ a: 1 });
  expect(text.parsed().document?.toJS()).toEqual({ a: 1 });
  expect(configText('a: 1').json).toBeUndefined();
});

test('plain JSON is read unchanged, even if its texts look like keys', () => {
  const value = { a: [1, true, null, { b: '"c": "d"' }], 'e:': ':', 'f"': { g: {} } };
  expect(configText(JSON.stringify(value)).json).toEqual(value);
  expect(configText(JSON.stringify(value, null, 2)).json).toEqual(value);
});

test.each([
  ['YAML', 'a: 1'],
  ['JSON with a comment', '{"a": 1} # one'],
  ['JSON with a key twice', '{"a": 1, "b": {"c": 2, "c": 3}}'],
  ['JSON with a key twice, once with an escape', '{"a": 1, "\\u0061": 2}'],
  ['JSON with the key of a prototype', '{"a": {"__proto__": 1}}'],
  ['JSON of too many levels', `${'['.repeat(60)}${']'.repeat(60)}`],
])('%s is left to the YAML parser, which tells the places of values', (_, text) => {
  expect(configText(text).json).toBeUndefined();
});
