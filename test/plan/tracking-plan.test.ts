import { expect, test } from 'vitest';
import { compiled, foundIn, ofEvent, SHOP } from './plans.js';

const plan = compiled(SHOP);
const ordered = (properties: unknown) => foundIn(plan, { type: 'track', event: 'Order Completed', properties });

test.each<[unknown, string | undefined]>([
  [{ orderId: 'a', total: 1, gift: null, items: [{ sku: 's' }] }, undefined],
  [{ orderId: 'a' }, 'properties.total (required): expected a number, got nothing'],
  [undefined, 'properties.orderId (required): expected a string, got nothing'],
  [null, 'properties.orderId (required): expected a string, got nothing'],
  [[], 'properties (type): expected an object, got an array'],
  [
    { orderId: 'a', total: 1, items: [{ sku: 's' }, {}] },
    'properties.items[1].sku (required): expected a string, got nothing',
  ],
])('a track with the properties %j is checked by the schema of its event', (properties, found) => {
  expect(ordered(properties)).toBe(found);
});

test.each(['Order Complete', '__proto__', 'constructor', ''])(
  'a track of %j, which is not in the plan, is an unknown event',
  (event) => {
    expect(foundIn(plan, { type: 'track', event })).toMatch(
      /^event \(unknown_event\): expected an event of the plan, got/,
    );
  },
);

test('the violation of a misspelt event suggests the one that was meant', () => {
  expect(foundIn(plan, { type: 'track', event: 'Order Complete' })).toContain('; did you mean Order Completed?');
});

test('the traits of identify and group and the properties of page and screen are checked by their schemas', () => {
  const needed = { required: ['a'] };
  const all = compiled({ events: {}, identify: needed, group: needed, page: needed, screen: needed });
  expect(['identify', 'group', 'page', 'screen'].map((type) => foundIn(all, { type }))).toEqual([
    'traits.a (required): expected a value, got nothing',
    'traits.a (required): expected a value, got nothing',
    'properties.a (required): expected a value, got nothing',
    'properties.a (required): expected a value, got nothing',
  ]);
});

test('a message of a type that the plan does not describe is not a violation', () => {
  for (const type of ['page', 'alias', 'delete', undefined]) expect(plan.check({ type })).toBeUndefined();
});

test('a value too deep to be checked is a violation and does not throw', () => {
  let deep = {};
  for (let depth = 0; depth < 100_000; depth++) deep = { a: deep };
  const nested = ofEvent({ $ref: '#/$defs/n' }, { n: { properties: { a: { $ref: '#/$defs/n' } } } });
  expect(foundIn(nested, { type: 'track', event: 'E', properties: deep })).toBe(
    'properties (too_deep): expected fewer levels, got more than can be checked',
  );
});

test('a value with an error in each of many items reports only the first', () => {
  const items = Array.from({ length: 100_000 }, () => ({}));
  expect(ordered({ orderId: 'a', total: 1, items })).toBe(
    'properties.items[0].sku (required): expected a string, got nothing',
  );
});
