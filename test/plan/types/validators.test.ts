import { expect, test } from 'vitest';
import type { Plan } from '../../../src/plan/plan.js';
import { validatorsOf } from '../../../src/plan/types/validators.js';
import { compiled, SHOP } from '../plans.js';
import { run, saidBy } from './catalogue.js';

const ORDER = { orderId: 'a', total: 1 };

test.each<[unknown, string | undefined]>([
  [ORDER, undefined],
  [undefined, 'orderId is required'],
  [null, 'orderId is required'],
  [[], 'must be object'],
  [{ ...ORDER, total: '1' }, 'total must be number'],
  [{ ...ORDER, total: -1 }, 'total must be >= 0'],
  [{ ...ORDER, orderId: '' }, 'orderId must have at least 1 characters'],
  [{ ...ORDER, currency: 'GBP' }, 'currency must be one of "EUR", "USD"'],
  [{ ...ORDER, gift: 3 }, 'gift must be boolean or null'],
  [{ ...ORDER, at: 'now' }, 'at must be of the format date-time'],
  [{ ...ORDER, items: [{ sku: 's' }, { price: 3 }] }, 'items.1.sku is required'],
  [{ ...ORDER, totl: 3 }, 'totl is not in the plan'],
])('the generated check of %j reports the same as the service', async (properties, said) => {
  const { events } = await run(SHOP);
  expect(saidBy(events['Order Completed'], properties)).toBe(said);
  const found = compiled(SHOP).check({ type: 'track', event: 'Order Completed', properties });
  expect(found === undefined).toBe(said === undefined);
});

test('a generated check finds a property named like a method only if the message has it', async () => {
  const { events } = await run({
    events: { E: { properties: { toString: { type: 'string' } }, required: ['valueOf'] } },
  });
  expect(saidBy(events['E'], {})).toBe('valueOf is required');
  expect(saidBy(events['E'], { valueOf: 1 })).toBeUndefined();
  expect(saidBy(events['E'], { valueOf: 1, toString: 2 })).toBe('toString must be string');
});

const EVERYTHING = {
  events: {
    E: {
      properties: {
        'a/b~c': { type: 'string', pattern: '^schemaPath:"x",$' },
        unique: { type: 'array', maxItems: 5, uniqueItems: true },
        constant: { const: { x: [1] } },
        multiple: { multipleOf: 2 },
        node: { $ref: '#/$defs/node' },
        either: { anyOf: [{ type: 'string' }, { minimum: 3 }] },
        tags: { maxLength: 2, minItems: 1 },
      },
      unevaluatedProperties: false,
    },
  },
  $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
} satisfies Plan;

test.each<[object, string | undefined]>([
  [{ 'a/b~c': 'schemaPath:"x",' }, undefined],
  [{ 'a/b~c': 'x' }, 'a/b~c must match /^schemaPath:"x",$/'],
  [{ unique: [{ a: 1 }, { a: 2 }] }, undefined],
  [{ unique: [{ a: [1] }, { a: [1] }] }, 'unique must be as its uniqueItems says'],
  [{ unique: [1, 2, 3, 4, 5, 6] }, 'unique must have at most 5 items'],
  [{ constant: { x: [1] } }, undefined],
  [{ constant: { x: [2] } }, 'constant must be {"x":[1]}'],
  [{ multiple: 3 }, 'multiple must be a multiple of 2'],
  [{ node: { next: { next: 3 } } }, 'node.next.next must be object'],
  [{ either: 2 }, 'either must be as its anyOf says'],
  [{ tags: 'abc' }, 'tags must have at most 2 characters'],
  [{ tags: [] }, 'tags must have at least 1 items'],
  [{ other: 1 }, 'other is not in the plan'],
])('the generated check of rarer keywords reports for %j: %s', async (properties, said) => {
  const { events } = await run(EVERYTHING);
  expect(saidBy(events['E'], properties)).toBe(said);
  const found = compiled(EVERYTHING).check({ type: 'track', event: 'E', properties });
  expect(found === undefined).toBe(said === undefined);
});

test('the generated check of a condition reports what fails inside it', async () => {
  const plan = JSON.parse('{"events":{"E":{"if":{"required":["a"]},"then":{"required":["b"]}}}}');
  expect(saidBy((await run(plan)).events['E'], { a: 1 })).toBe('b is required');
});

test('the generated code needs no library, and contains only the schemas that it reads', () => {
  for (const plan of [SHOP, EVERYTHING]) {
    const code = validatorsOf(plan);
    expect(code).not.toMatch(/\brequire\(|\bimport\b|schemaPath:"#|\beval\b|new Function/);
    for (const [, name = ''] of code.matchAll(/^const (schema\d+)/gm)) expect(code).toContain(`${name}.`);
  }
});

test('a plan without schemas generates no code', () => {
  expect(validatorsOf({ events: {} })).toBe('');
});
