import { expect, test } from 'vitest';
import type { JsonSchema } from '../../../src/plan/plan.js';
import { typeNames } from '../../../src/plan/types/type-names.js';
import { TypeWriter } from '../../../src/plan/types/type-writer.js';

const $defs = {
  money: { type: 'number' },
  node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } }, additionalProperties: false },
};

function write(schema: JsonSchema): string {
  const writer = new TypeWriter({ events: {}, $defs }, typeNames([]));
  const declared = writer.declare('T', schema);
  return `${declared}${writer.referred()}`;
}

const property = (schema: JsonSchema): string =>
  /^ {2}readonly a: ([\s\S]*?);\n\}\n/m.exec(
    write({ properties: { a: schema }, required: ['a'], additionalProperties: false }),
  )?.[1] ?? '';

test.each<[JsonSchema, string]>([
  [true, 'unknown'],
  [false, 'never'],
  [{ type: 'string' }, 'string'],
  [{ type: 'integer' }, 'number'],
  [{ type: ['string', 'null'] }, 'string | null'],
  [{ const: 'x' }, '"x"'],
  [{ const: null }, 'null'],
  [{ enum: ['x', 1, true, null] }, '"x" | 1 | true | null'],
  [{ enum: ['x', { y: 1 }] }, 'unknown /* by enum */'],
  [{ type: 'array' }, 'readonly unknown[]'],
  [{ items: { type: ['string', 'null'] } }, 'readonly (string | null)[]'],
  [{ type: 'array', items: { type: 'array', items: { type: 'number' } } }, 'readonly (readonly number[])[]'],
  [{ prefixItems: [{ type: 'string' }, { type: 'number' }], minItems: 1, items: false }, 'readonly [string, number?]'],
  [{ prefixItems: [{ enum: [1, 2] }], items: { type: 'string' } }, 'readonly [(1 | 2)?, ...string[]]'],
  [{ type: 'object' }, '{ readonly [name: string]: unknown }'],
  [{ type: 'object', additionalProperties: { type: 'number' } }, '{ readonly [name: string]: number }'],
  [{ type: 'object', additionalProperties: false }, '{ readonly [name: string]: never }'],
  [{ type: 'object', patternProperties: { '^x': { type: 'number' } } }, '{ readonly [name: string]: unknown }'],
  [{ required: ['b'] }, '{\n    readonly b: unknown;\n    readonly [name: string]: unknown;\n  }'],
  [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'string | null'],
  [{ anyOf: [{ type: 'string' }, { minimum: 3 }] }, 'unknown /* by anyOf */'],
  [{ oneOf: [{ const: 1 }, { type: 'array', items: { const: 2 } }] }, '1 | readonly 2[]'],
  [
    { type: 'object', anyOf: [{ $ref: '#/$defs/node' }, { $ref: '#/$defs/money' }] },
    '{ readonly [name: string]: unknown } & (Node | Money)',
  ],
  [{ allOf: [{ $ref: '#/$defs/money' }, { minimum: 3 }] }, 'Money'],
  [{ not: { type: 'null' } }, 'unknown /* by not */'],
  [{ pattern: '*/', description: 'x' }, 'unknown /* by pattern */'],
])('the schema %j has the type %s', (schema, type) => {
  expect(property(schema)).toBe(type);
});

test('an object schema becomes an interface whose optional properties may be undefined', () => {
  expect(
    write({
      description: 'The payment went through.',
      properties: {
        id: { type: 'string', description: 'Of the shop.' },
        'net total': { $ref: '#/$defs/money', deprecated: true },
        any: true,
      },
      required: ['id'],
    }),
  ).toBe(`/** The payment went through. */
export interface T {
  /** Of the shop. */
  readonly id: string;
  /** @deprecated */
  readonly "net total"?: Money | undefined;
  readonly any?: unknown;
  readonly [name: string]: unknown;
}
export type Money = number;
`);
});

test('a generated type may refer to itself', () => {
  expect(write({ $ref: '#/$defs/node' })).toBe(`export type T = Node & { readonly [name: string]: unknown };
export interface Node {
  readonly next?: Node | undefined;
}
`);
});

test.each<[JsonSchema, string]>([
  [true, 'export type T = { readonly [name: string]: unknown };\n'],
  [{ description: 'x' }, '/** x */\nexport type T = { readonly [name: string]: unknown };\n'],
  [false, 'export type T = never;\n'],
])('the properties of a message are typed as an object, even by the schema %j', (schema, declared) => {
  expect(write(schema)).toBe(declared);
});
