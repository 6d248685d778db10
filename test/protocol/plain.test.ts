import { createContext, runInContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { MAX_DEPTH } from '../../src/base/options/limits.js';
import { isPlain, isPlainMessage, isRecord, MAX_WRITTEN } from '../../src/protocol/plain.js';

const nested = (levels: number): object => {
  let value: object = {};
  for (let level = 1; level < levels; level++) value = { value };
  return value;
};

class Order {
  total = 42;
}

describe('isPlain', () => {
  test.each([
    ['fields of every kind', { text: 'x', number: 1, list: [{}, 'y', null], date: new Date(), act: () => {} }],
    ['the deepest nesting that is allowed', nested(MAX_DEPTH)],
    ['an instance of a class', new Order()],
  ])('%s is plain', (_, value) => {
    expect(isPlain(value)).toBe(true);
  });

  test.each([
    ['an object with a toJSON', { toJSON: () => 1 }],
    ['a nested toJSON', { a: [{ toJSON: () => 1 }] }],
    ['a typed array', { bytes: new Uint8Array(1) }],
    ['a boxed number', { number: Object(7) }],
    ['one level of nesting too many', nested(MAX_DEPTH + 1)],
    ['an array that is empty but for its last item', Object.assign([], { length: MAX_WRITTEN + 1 })],
    ['a string past the limit', { text: 'x'.repeat(MAX_WRITTEN) }],
  ])('%s is not plain', (_, value) => {
    expect(isPlain(value)).toBe(false);
  });

  test('the limit counts the characters of strings, and one for each field', () => {
    expect([isPlain({ text: 'xyz' }, 4), isPlain({ text: 'xyz' }, 3)]).toEqual([true, false]);
  });

  test('the objects of a message share one limit', () => {
    const half = { text: 'x'.repeat(MAX_WRITTEN / 2 - 1) };
    expect(isPlainMessage({ properties: half, context: half })).toBe(true);
    expect(isPlainMessage({ properties: null, traits: null })).toBe(true);
    expect(isPlainMessage({ properties: half, traits: { a: 1 }, context: half })).toBe(false);
  });
});

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
