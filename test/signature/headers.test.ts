import { expect, test } from 'vitest';
import { headerLookup } from '../../src/signature/headers.js';

test('headers are looked up in a Headers and in what node:http has', () => {
  expect(headerLookup(new Headers({ 'X-Signature': 'abc' }))('x-signature')).toBe('abc');
  expect(headerLookup({ 'x-signature': 'abc' })('x-signature')).toBe('abc');
});

test.each(['X-Signature', 'x-signature', 'X-SIGNATURE'])('the header %s of an object is found', (name) => {
  expect(headerLookup({ [name]: 'abc' })('x-signature')).toBe('abc');
  expect(headerLookup({ [name]: undefined })('x-signature')).toBeUndefined();
});

test('a header that is given twice is one list, with a comma between each two', () => {
  const headers = new Headers();
  for (const value of ['a', 'b']) headers.append('X-Signature', value);
  expect(headerLookup(headers)('x-signature')).toBe('a, b');
  expect(headerLookup({ 'x-signature': ['a', 'b'] })('x-signature')).toBe('a, b');
});

test('a header may be called get', () => {
  expect(headerLookup({ get: 'x', 'x-signature': 'abc' } as never)('x-signature')).toBe('abc');
});

test('a header that is not given is undefined', () => {
  expect(headerLookup(new Headers())('x-signature')).toBeUndefined();
  expect(headerLookup({})('x-signature')).toBeUndefined();
});

test('a header is the own field of an object', () => {
  expect(headerLookup(Object.create({ 'x-signature': 'abc' }))('x-signature')).toBeUndefined();
  expect(headerLookup({})('constructor')).toBeUndefined();
});

test.each([5, {}, [5, {}], Symbol('x'), true, 5n])('a header that is %o and no text is not there', (value) => {
  const found = headerLookup({ 'x-signature': value as string })('x-signature');
  expect(headerLookup({ get: () => value as string })('x-signature')).toBe(found);
  expect(found === undefined || Array.isArray(value)).toBe(true);
});

test.each([
  [undefined, 'undefined'],
  [null, 'null'],
  ['x', 'string "x"'],
])('%j in place of headers is refused', (headers, received) => {
  const message = `Expected \`headers\` to be a Headers, or an object of headers, got ${received}`;
  expect(() => headerLookup(headers as never)).toThrow(expect.objectContaining({ message }));
});

test('a header that is null is not there', () => {
  expect(headerLookup({ 'x-signature': null, 'X-Signature': 'abc' })('x-signature')).toBe('abc');
  expect(headerLookup({ 'X-Signature': 'abc', 'x-signature': undefined })('x-signature')).toBe('abc');
  expect(headerLookup({ 'x-signature': null })('x-signature')).toBeUndefined();
});
