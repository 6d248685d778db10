import { expect, test } from 'vitest';
import { OptionError } from '../../src/base/errors/errors.js';
import { assertSecret, listSecrets } from '../../src/signature/secret.js';

test.each([
  ['shhh', ['shhh']],
  [
    ['new', 'old'],
    ['new', 'old'],
  ],
])('the secrets of %j are %j', (given, expected) => {
  expect(listSecrets(given)).toEqual(expected);
});

test.each<[string, unknown, string]>([
  ['an empty secret', '', 'an empty string'],
  ['an empty secret among others', ['shhh', ''], 'an empty string'],
  ['a blank secret', '   ', 'nothing but white space'],
  ['a blank secret among others', ['shhh', '\t\n'], 'nothing but white space'],
  ['an empty array', [], 'an empty array'],
  ['an array of something else', ['shhh', 42], 'number'],
  ['null in an array', [null], 'null'],
  ['an object', { key: 'shhh' }, 'object'],
])('%s is refused, and its value is not shown', (_, secrets, got) => {
  const message = `Expected \`secrets\` to be a non-empty string, or an array of them, got ${got}`;
  expect(() => listSecrets(secrets as string[])).toThrow(expect.objectContaining({ message }));
});

test('a secret that is wrong names its own option', () => {
  expect(() => assertSecret('secret', '')).toThrow(OptionError);
  expect(() => assertSecret('secret', '')).toThrow('`secret`');
});
