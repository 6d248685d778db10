import { createContext, runInContext } from 'node:vm';
import { expect, test } from 'vitest';
import { isRecord, isString, isText } from '../../src/protocol/is.js';

class Order {
  total = 42;
}

test.each([
  ['a literal', {}],
  ['an object without a prototype', Object.create(null)],
  ['an instance of a class', new Order()],
  ['an object of another realm', runInContext('({})', createContext())],
])('isRecord accepts %s', (_, value) => {
  expect(isRecord(value)).toBe(true);
});

test.each([
  ['null', null],
  ['an array', []],
  ['a Map', new Map()],
  ['a Date', new Date()],
  ['a function', () => {}],
  ['a boxed string', Object('text')],
  ['an object with a toJSON', { toJSON: () => ({}) }],
])('isRecord refuses %s', (_, value) => {
  expect(isRecord(value)).toBe(false);
});

test('an empty string is a string and no text', () => {
  expect([isString(''), isText(''), isText('x'), isString(7), isText(7)]).toEqual([true, false, true, false, false]);
});
