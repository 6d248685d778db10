import { expect, test } from 'vitest';
import { valuesOf } from '../../../src/service/config/config-values.js';

test('the values of an object are copied without undefined fields, and references in its texts stay', () => {
  const given = { a: [1, { b: 'x' }], gone: undefined, text: '${HOME} ${file:/etc/hostname} $${' };
  const { value, findings, variablesOf } = valuesOf(given);
  given.a.push(2);
  expect(value).toStrictEqual({ a: [1, { b: 'x' }], text: '${HOME} ${file:/etc/hostname} $${' });
  expect(findings).toEqual([]);
  expect(variablesOf(['text'])).toEqual([]);
});

test.each([
  [() => {}, 'a function'],
  [new Map(), 'a Map'],
  [new Date(0), 'a Date'],
  [Promise.resolve({}), 'a Promise: await it'],
  [1n, 'a bigint'],
  [Symbol('s'), 'a symbol'],
])('a value that JSON cannot represent is found: %s', (given, received) => {
  expect(valuesOf({ at: [given] })).toMatchObject({
    value: { at: [undefined] },
    findings: [{ keys: ['at', 0], expected: 'a value that JSON can hold', received }],
  });
});

test('an object that contains itself is found', () => {
  const given: Record<string, unknown> = {};
  given['again'] = given;
  expect(valuesOf(given).findings).toMatchObject([{ expected: '50 levels at most', received: 'more' }]);
});
