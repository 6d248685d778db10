import { expect, test } from 'vitest';
import { once } from '../../../src/base/structures/once.js';

test('once makes a value at the first call and gives the same ever after', () => {
  let made = 0;
  const value = once(() => ({ number: ++made }));
  expect(made).toBe(0);
  expect(value()).toBe(value());
  expect(made).toBe(1);
});
