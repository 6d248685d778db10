import { expect, test } from 'vitest';
import { differences } from '../../src/testing/match.js';

const received = {
  event: 'Order',
  properties: { total: 42, items: [{ id: 'a', price: 1 }], at: '1970-01-01T00:00:00.000Z' },
};

/** Returns the expression after it has found a match, from which it would search on. */
function used(expression: RegExp): RegExp {
  expression.test('Order');
  return expression;
}

test.each<[string, unknown]>([
  ['some fields', { event: 'Order' }],
  ['fields at any depth', { properties: { total: 42 } }],
  ['a list whose entries match', { properties: { items: [{ id: 'a' }] } }],
  ['a date, which is sent as text', { properties: { at: new Date(0) } }],
  ['a regular expression', { event: /^Ord/ }],
  ['an expression that has matched before', { event: used(/Ord/g) }],
  ['a function', { properties: { total: (total: number) => total > 40 } }],
  ['a matcher', { properties: { total: expect.any(Number), items: expect.arrayContaining([{ id: 'a', price: 1 }]) } }],
  ['undefined for a missing field', { properties: { coupon: undefined } }],
])('a message matches %s', (_, expected) => {
  expect(differences(expected, received)).toEqual([]);
});

test.each<[string, unknown, string, unknown]>([
  ['another value', { properties: { total: 41 } }, 'properties.total', 42],
  ['a missing field', { properties: { coupon: 'x' } }, 'properties.coupon', undefined],
  ['a field of an entry', { properties: { items: [{ price: 2 }] } }, 'properties.items[0].price', 1],
  ['a list of another length', { properties: { items: [] } }, 'properties.items', [{ id: 'a', price: 1 }]],
  ['an object in place of a list', { properties: { items: { 0: {} } } }, 'properties.items', [{ id: 'a', price: 1 }]],
  ['a list in place of a value', { event: ['Order'] }, 'event', 'Order'],
  ['an object in place of a value', { event: {} }, 'event', 'Order'],
  ['a regular expression for a value that is not text', { properties: { total: /4/ } }, 'properties.total', 42],
  ['a function that returns false', { properties: { total: () => false } }, 'properties.total', 42],
  ['a matcher that does not match', { event: expect.stringContaining('x') }, 'event', 'Order'],
])('differences lists the path of %s', (_, expected, path, value) => {
  expect(differences(expected, received)).toMatchObject([{ path, received: value }]);
});
