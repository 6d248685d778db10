import { expect, test } from 'vitest';
import { KEYWORDS } from '../../src/plan/keywords.js';

test.each([
  [
    'a schema',
    'schema',
    ['items', 'contains', 'not', 'if', 'additionalProperties', 'unevaluatedItems', 'contentSchema'],
  ],
  ['a list of schemas', 'schemas', ['allOf', 'anyOf', 'oneOf', 'prefixItems']],
  [
    'schemas by name',
    'schemas by name',
    ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'],
  ],
  ['values', 'values', ['$ref', 'const', 'enum', 'type', 'required', 'default', 'examples', 'format', 'maxLength']],
])('the keywords that hold %s are known', (_, held, keywords) => {
  expect(Object.fromEntries(keywords.map((keyword) => [keyword, KEYWORDS.get(keyword)]))).toEqual(
    Object.fromEntries(keywords.map((keyword) => [keyword, held])),
  );
});

test('a plan has no keyword that gives a schema an identity', () => {
  for (const keyword of ['$id', '$anchor', '$dynamicRef', '$dynamicAnchor', '$vocabulary'])
    expect(KEYWORDS.has(keyword)).toBe(false);
});
