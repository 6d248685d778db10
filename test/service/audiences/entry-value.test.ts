import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson, MAX_VALUE_BYTES, valueProblem } from '../../../src/service/audiences/entry-value.js';

test('equal values have the same canonical text, whatever the order of their keys', () => {
  expect(canonicalJson({ b: [1, { d: null, c: 'é' }], a: true })).toBe('{"a":true,"b":[1,{"c":"é","d":null}]}');
  expect(canonicalJson(-0)).toBe('0');
});

test('a canonical text is JSON for the same value, and has no line break', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const plain = JSON.parse(JSON.stringify(value));
      const text = canonicalJson(plain);
      expect(JSON.parse(text)).toEqual(plain);
      expect(text).not.toContain('\n');
    }),
  );
});

test('an object may have a key named __proto__ like any other', () => {
  expect(canonicalJson(JSON.parse('{"__proto__":{"a":1}}'))).toBe('{"__proto__":{"a":1}}');
});

test.each([[0], [''], [false], [null], [[]], [{ tier: 'gold' }], ['x'.repeat(MAX_VALUE_BYTES - 2)]])(
  '%j can be the value of a trait',
  (value) => {
    expect(valueProblem(value)).toBeUndefined();
  },
);

const cycle: { self?: unknown } = {};
cycle.self = cycle;

test.each([
  [undefined, 'a JSON value', 'none'],
  [() => {}, 'a JSON value', 'a function'],
  [10n, 'a JSON value', 'a bigint'],
  [cycle, 'a JSON value', 'an object'],
  [Number.POSITIVE_INFINITY, 'numbers that JSON can hold', 'Infinity'],
  [{ deep: [Number.NEGATIVE_INFINITY] }, 'numbers that JSON can hold', '-Infinity'],
  ['x'.repeat(MAX_VALUE_BYTES - 1), 'a value of at most 2000 bytes of JSON', 'a string of 1999 characters of 2001'],
])(
  'what JSON cannot represent, or what is too long, cannot be the value of a trait (%#)',
  (value, expected, received) => {
    expect(valueProblem(value)).toEqual({ expected, received });
  },
);

test('a Date can be a value, as the text that JSON makes of it', () => {
  expect(valueProblem(new Date(0))).toBeUndefined();
});
