import { expect, test } from 'vitest';
import { once } from '../../../src/base/structures/once.js';

test('once creates its value on the first call and returns the same value later', () => {
  let made = 0;
  const value = once(() => ({ number: ++made }));
  expect(made).toBe(0);
  expect(value()).toBe(value());
  expect(made).toBe(1);
});
