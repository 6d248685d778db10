import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { describeThrown } from '../../../src/base/errors/describe-thrown.js';

const throwing = (key: string, base: object = new Error('said')): object =>
  Object.defineProperty(base, key, {
    get() {
      throw new Error('getter');
    },
  });

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

class OddError extends Error {
  override readonly name = 'OddError';
}

test.each<[string, unknown, string]>([
  ['an Error', new Error('no room'), 'no room'],
  ['an Error of a built-in subclass', new TypeError('x is not a function'), 'TypeError: x is not a function'],
  ['an Error of a custom class', new OddError('odd'), 'OddError: odd'],
  ['an Error without a message', new RangeError(), 'RangeError'],
  ['an Error from another realm', runInNewContext('new TypeError("there")'), 'TypeError: there'],
  ['an Error whose message throws', throwing('message'), 'Error'],
  ['an Error whose name throws', throwing('name'), 'said'],
  ['an Error whose name is not text', Object.assign(new Error('said'), { name: 7 }), 'said'],
  ['a string', 'no room', 'no room'],
  ['an empty string', '', 'an empty string'],
  ['null', null, 'null'],
  ['undefined', undefined, 'undefined'],
  ['a number', 42, '42'],
  ['a BigInt', 2n ** 64n, 'a BigInt'],
  ['a Symbol', Symbol('s'), 'Symbol(s)'],
  ['a function', () => 1, 'a function'],
  ['an object without a prototype', Object.create(null), 'an object without a message'],
  ['an object whose toString throws', throwing('toString', {}), 'an object without a message'],
  ['a revoked Proxy', revoked(), 'an object without a message'],
  ['text of several lines', new Error('a\nb\r\u001b[31mred\u202e'), 'a\\nb\\r\\u{1b}[31mred\\u{202e}'],
])('a thrown value that is %s is described in one line', (_, thrown, text) => {
  expect(describeThrown(thrown)).toBe(text);
});

test('a thrown value is described in at most 200 characters', () => {
  expect(describeThrown(new Error('x'.repeat(1e6)))).toBe(`${'x'.repeat(199)}…`);
  expect(describeThrown('\u0000'.repeat(200)).length).toBeLessThanOrEqual(200);
  expect(describeThrown(Object.assign(new Error('x'.repeat(190)), { name: 'N'.repeat(190) }))).toHaveLength(200);
});
