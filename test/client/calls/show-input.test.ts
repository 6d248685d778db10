import { expect, test } from 'vitest';
import { showInput } from '../../../src/client/calls/show-input.js';
import { hostileThrows } from '../../support/hostile-throws.js';

const cycle: Record<string, unknown> = { userId: 'u1' };
cycle['self'] = cycle;

test.each([
  [undefined, 'undefined'],
  [null, 'null'],
  [42, '42'],
  ['Signed In', '"Signed In"'],
  [10n, 'a BigInt'],
  [() => 1, 'a function'],
  [Symbol('s'), 'a symbol'],
  [new Date(0), 'a Date'],
  [{}, '{}'],
  [[1, 'a', { b: null }], '[1, "a", { b: null }]'],
  [
    { userId: 42, event: 'Paid', properties: { total: 10n } },
    '{ userId: 42, event: "Paid", properties: { total: a BigInt } }',
  ],
  [{ a: { b: { c: {}, d: [] } } }, '{ a: { b: { c: {…}, d: […] } } }'],
  [cycle, '{ userId: "u1", self: { userId: "u1", self: { userId: "u1", self: {…} } } }'],
  [{ text: '\u001b[31m\n' }, '{ text: "\\u001b[31m\\n" }'],
])('showInput shows the argument of a call: %#', (input, shown) => {
  expect(showInput(input)).toBe(shown);
});

test('showInput shows at most 200 characters of an input, however large it is', () => {
  const large = { text: 'x'.repeat(1_000_000), list: Array.from({ length: 100_000 }, () => ({ a: 1 })) };
  expect(showInput(large)).toBe(`{ text: "${'x'.repeat(190)}…`);
  expect(showInput(Array.from({ length: 100_000 }, () => 1)).length).toBeLessThanOrEqual(200);
});

test('showInput calls no getter and no toJSON of its input', () => {
  let calls = 0;
  const input = {
    get total() {
      return calls++;
    },
    toJSON: () => calls++,
  };
  expect(showInput(input)).toBe('{ total: a getter, toJSON: a function }');
  expect(calls).toBe(0);
});

test('showInput describes a proxy that throws whenever it is inspected as an object', () => {
  const hostile = new Proxy(
    {},
    { getPrototypeOf: hostile0, ownKeys: hostile0, get: hostile0, getOwnPropertyDescriptor: hostile0 },
  );
  expect(showInput(hostile)).toBe('an object');
  for (const [, value] of hostileThrows) expect(() => showInput(value)).not.toThrow();
});

const hostile0 = (): never => {
  throw new Error('no');
};
