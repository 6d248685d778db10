import { expect, test } from 'vitest';
import { foundIn, ofEvent } from './plans.js';

const found = (schema: unknown, value: unknown) =>
  foundIn(ofEvent({ properties: { a: schema } }), { type: 'track', event: 'E', properties: { a: value } });

test.each<[unknown, unknown, string]>([
  [{ type: 'integer' }, 1.5, '(type): expected an integer, got number 1.5'],
  [{ type: ['boolean', 'null'] }, 'x', '(type): expected true or false or null, got string "x"'],
  [{ enum: ['x', 2] }, 'y', '(enum): expected one of "x", 2, got string "y"'],
  [
    { enum: Array.from({ length: 12 }, (_, index) => index) },
    'y',
    '(enum): expected one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more, got string "y"',
  ],
  [{ const: 'x' }, 3, '(const): expected "x", got number 3'],
  [{ minimum: 0 }, -1, '(minimum): expected a number of at least 0, got number -1'],
  [{ maximum: 0 }, 1, '(maximum): expected a number of at most 0, got number 1'],
  [{ exclusiveMinimum: 0 }, 0, '(exclusiveMinimum): expected a number above 0, got number 0'],
  [{ exclusiveMaximum: 0 }, 0, '(exclusiveMaximum): expected a number below 0, got number 0'],
  [{ multipleOf: 2 }, 3, '(multipleOf): expected a multiple of 2, got number 3'],
  [{ minLength: 1 }, '', '(minLength): expected a string of at least 1 character, got string ""'],
  [{ maxLength: 2 }, 'abc', '(maxLength): expected a string of at most 2 characters, got string "abc"'],
  [{ pattern: '^a' }, 'b', '(pattern): expected a string that matches /^a/, got string "b"'],
  [{ format: 'uuid' }, 'b', '(format): expected a string of the format uuid, got string "b"'],
  [{ minItems: 1 }, [], '(minItems): expected at least 1 item, got 0'],
  [{ maxItems: 1 }, [1, 2], '(maxItems): expected at most 1 item, got 2'],
  [
    { uniqueItems: true, maxItems: 9 },
    [1, 1],
    '(uniqueItems): expected items that differ from each other, got an array',
  ],
  [{ contains: { const: 1 } }, [2], '(contains): expected at least 1 item that match `contains`, got an array'],
  [{ minProperties: 2 }, {}, '(minProperties): expected an object of at least 2 properties, got an object'],
  [{ maxProperties: 0 }, { x: 1 }, '(maxProperties): expected an object of at most 0 properties, got an object'],
  [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 3, '(anyOf): expected a string or null, got number 3'],
  [
    {
      oneOf: [
        { type: 'object', required: ['x'] },
        { type: 'object', required: ['y'] },
      ],
    },
    {},
    '(oneOf): expected a value that matches one of 2 alternatives, got an object',
  ],
  [{ oneOf: [true, true] }, 3, '(oneOf): expected a value that matches one alternative, not two, got number 3'],
  [{ not: { const: 1 } }, 1, '(not): expected a value that does not match `not`, got number 1'],
  [false, 1, '(false_schema): expected no value, got number 1'],
])('the error for a value that the schema %j rejects, %j, says what was expected', (schema, value, text) => {
  expect(found(schema, value)).toBe(`properties.a ${text}`);
});

test('the error for an unknown property names the known ones and the one that was meant', () => {
  const plan = ofEvent({ properties: { total: {}, currency: {} }, additionalProperties: false });
  expect(foundIn(plan, { type: 'track', event: 'E', properties: { totl: 1 } })).toBe(
    'properties.totl (additionalProperties): expected one of total, currency, got an unknown property; did you mean total?',
  );
});

test('the error for a condition is the error inside it', () => {
  const plan = ofEvent(JSON.parse('{"if":{"required":["a"]},"then":{"required":["b"]}}'));
  expect(foundIn(plan, { type: 'track', event: 'E', properties: { a: 1 } })).toBe(
    'properties.b (required): expected a value, got nothing',
  );
});
