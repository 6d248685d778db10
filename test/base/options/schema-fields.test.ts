import { expect, test } from 'vitest';
import { integer, list, optional, text } from '../../../src/base/options/schema-fields.js';

test('a list in a configuration may be empty unless its schema sets a minimum length', () => {
  const word = () => text('a word', /./);
  expect(list(word()).safeParse([]).success).toBe(true);
  expect(list(word(), 2).safeParse(['a']).error?.issues[0]?.message).toBe('a list of 2 or more');
});

test('an error in a configuration says what the field expects', () => {
  const port = optional(integer(1, 9), 'A port.');
  expect(port.safeParse(undefined).success).toBe(true);
  expect(port.safeParse(10).error?.issues[0]?.message).toBe('an integer from 1 to 9');
});
