import { expect, test } from 'vitest';
import { plural } from '../../../src/base/text/plural.js';

test.each([
  [0, 'user', '0 users'],
  [1, 'user', '1 user'],
  [1_204, 'delivery', '1,204 deliveries'],
])('plural of %d %s is %s', (count, noun, text) => {
  expect(plural(count, noun)).toBe(text);
});
