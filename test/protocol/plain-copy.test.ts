import { expect, test } from 'vitest';
import { ValidationError } from '../../src/base/errors/errors.js';
import { MAX_DEPTH } from '../../src/base/options/limits.js';
import { copyPlain, TooMuchError } from '../../src/protocol/plain-copy.js';

const failureOf = (value: object, most?: number): unknown => {
  try {
    return copyPlain('track', value, most);
  } catch (error) {
    return error;
  }
};

test('a copy is written like the original by JSON.stringify', () => {
  const value = {
    date: new Date(0),
    boxed: [Object('text'), Object(7), Object(true)],
    skipped: { act: () => {}, nothing: undefined, symbol: Symbol('s') },
    asked: { toJSON: (key: string) => `the ${key}` },
  };
  expect(JSON.stringify(copyPlain('track', value))).toBe(JSON.stringify(value));
});

test('a copy keeps a field named __proto__, and has no prototype', () => {
  const copy = copyPlain('track', JSON.parse('{"__proto__":{"a":1}}')) as object;
  expect(Object.getPrototypeOf(copy)).toBeNull();
  expect(JSON.stringify(copy)).toBe('{"__proto__":{"a":1}}');
});

const cycle: Record<string, unknown> = {};
cycle['list'] = [cycle];

let deep: object = {};
for (let level = 0; level < MAX_DEPTH; level++) deep = [deep];

test.each([
  [cycle, 'track.list[0]: expected no cycle, got an object that contains itself'],
  [{ total: 1n }, 'track.total: expected a value that JSON can hold, got a BigInt'],
  [
    {
      get total(): number {
        throw new Error('no');
      },
    },
    expect.stringMatching(/^track\.total: expected a value that can be read, got one that throws .*no/),
  ],
  [deep, expect.stringContaining(`expected at most ${MAX_DEPTH} levels of nesting, got more`)],
])('a value that JSON cannot hold is refused with its path (%#)', (value, message) => {
  expect(failureOf(value)).toBeInstanceOf(ValidationError);
  expect(failureOf(value)).toMatchObject({ message });
});

test('a value past the limit is not copied, and the error names the place where the limit was reached', () => {
  const failure = failureOf({ a: 'x', b: { c: 'x'.repeat(100) } }, 50);
  expect(failure).toBeInstanceOf(TooMuchError);
  expect(failure).toMatchObject({ path: ['b', 'c'] });
});

test('a long typed array is refused before any item is read', () => {
  expect(failureOf({ bytes: new Uint8Array(1_000_000) })).toBeInstanceOf(TooMuchError);
});
