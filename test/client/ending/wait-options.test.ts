import { expect, test } from 'vitest';
import { checkWait } from '../../../src/client/ending/wait-options.js';

test.each([{}, { timeout: 0 }, { timeout: 2 ** 31 - 1 }, { timeout: undefined }])(
  '%j is accepted as a time limit',
  (options) => {
    expect(() => checkWait('flush', options)).not.toThrow();
  },
);

test.each<[unknown, string]>([
  [5_000, 'Expected `options` to be an object, got a number. Write flush({ timeout: 5000 })'],
  [() => {}, 'Expected `options` to be an object, got a function. Write await flush()'],
  ['soon', 'Expected `options` to be an object, got a string of 4 characters. Write flush({ timeout: … })'],
  [{ timeout: -1 }, 'Expected `timeout` to be a number of milliseconds from 0 to 2147483647, got number -1'],
])('a caller that passes something else is shown how to write a time limit: %#', (given, message) => {
  expect(() => checkWait('flush', given)).toThrow(message);
});
