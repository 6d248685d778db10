import { expect, test } from 'vitest';
import { headerLookup } from '../../src/signature/headers.js';

test('headers are found in a Headers and in the headers of a node:http request', () => {
  expect(headerLookup(new Headers({ 'X-Signature': 'abc' }))('x-signature')).toBe('abc');
  expect(headerLookup({ 'x-signature': 'abc' })('x-signature')).toBe('abc');
});

test.each(['X-Signature', 'x-signature', 'X-SIGNATURE'])('the header %s of an object is found in any case', (name) => {
  expect(headerLookup({ [name]: 'abc' })('x-signature')).toBe('abc');
  expect(headerLookup({ [name]: undefined })('x-signature')).toBeUndefined();
});

test('the values of a header that is sent twice are joined with a comma', () => {
  const headers = new Headers();
  for (const value of ['a', 'b']) headers.append('X-Signature', value);
  expect(headerLookup(headers)('x-signature')).toBe('a, b');
  expect(headerLookup({ 'x-signature': ['a', 'b'] })('x-signature')).toBe('a, b');
});

test('an object with a header named `get` is not taken for a Headers', () => {
  expect(headerLookup({ get: 'x', 'x-signature': 'abc' } as never)('x-signature')).toBe('abc');
});

test('a header that was not sent is undefined', () => {
  expect(headerLookup(new Headers())('x-signature')).toBeUndefined();
  expect(headerLookup({})('x-signature')).toBeUndefined();
});

test('an inherited property of an object is not a header', () => {
  expect(headerLookup(Object.create({ 'x-signature': 'abc' }))('x-signature')).toBeUndefined();
  expect(headerLookup({})('constructor')).toBeUndefined();
});

test.each([5, {}, [5, {}], Symbol('x'), true, 5n])(
  'a header value %o counts as missing unless it is a list',
  (value) => {
    const found = headerLookup({ 'x-signature': value as string })('x-signature');
    expect(headerLookup({ get: () => value as string })('x-signature')).toBe(found);
    expect(found === undefined || Array.isArray(value)).toBe(true);
  },
);

test.each([
  [undefined, 'undefined'],
  [null, 'null'],
  ['x', 'string "x"'],
])('%j is refused as headers', (headers, received) => {
  const message = `Expected \`headers\` to be a Headers, or an object of headers, got ${received}`;
  expect(() => headerLookup(headers as never)).toThrow(expect.objectContaining({ message }));
});

test('a header that is null counts as missing', () => {
  expect(headerLookup({ 'x-signature': null, 'X-Signature': 'abc' })('x-signature')).toBe('abc');
  expect(headerLookup({ 'X-Signature': 'abc', 'x-signature': undefined })('x-signature')).toBe('abc');
  expect(headerLookup({ 'x-signature': null })('x-signature')).toBeUndefined();
});
