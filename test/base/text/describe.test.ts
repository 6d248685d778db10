import { expect, test } from 'vitest';
import { describe as describeValue, kindOf } from '../../../src/base/text/describe.js';

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable([], {});
  revoke();
  return proxy;
}

test.each<[string, unknown, string]>([
  ['undefined', undefined, 'undefined'],
  ['null', null, 'null'],
  ['an empty string', '', 'string ""'],
  ['a string of 40 characters', 'x'.repeat(40), `string "${'x'.repeat(40)}"`],
  ['a string of 41 characters', 'x'.repeat(41), 'a string of 41 characters'],
  ['a string of several lines', 'a\n\u0085\u202e', 'string "a\\n\\u{85}\\u{202e}"'],
  ['a number', 42, 'number 42'],
  ['a BigInt', 1n, 'a bigint'],
  ['a Symbol', Symbol('s'), 'a symbol'],
  ['a function', () => 1, 'a function'],
  ['a list', [], 'an array'],
  ['an object', {}, 'an object'],
  ['an object without a prototype', Object.create(null), 'an object'],
  ['a Map', new Map(), 'a Map'],
  ['an invalid Date', new Date(Number.NaN), 'an invalid Date'],
  ['an object with a long class name', { [Symbol.toStringTag]: `a\n${'x'.repeat(1_000)}` }, `a a\\n${'x'.repeat(36)}…`],
  ['a revoked Proxy', revoked(), 'an object'],
])('%s is described in one short line', (_, value, text) => {
  expect(describeValue(value)).toBe(text);
});

test.each<[string, unknown, string]>([
  ['an empty string', '', 'an empty string'],
  ['a secret', 'hunter2', 'a string of 7 characters'],
  ['a numeric secret', 42, 'a number'],
  ['a switch', true, 'a boolean'],
  ['a list of secrets', ['hunter2'], 'an array'],
  ['nothing', undefined, 'undefined'],
])('kindOf does not reveal the content of %s', (_, value, text) => {
  expect(kindOf(value)).toBe(text);
});
