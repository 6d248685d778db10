/** What a keyword's value contains. `values` is plain data, in which a `$ref` has no meaning. */
export type Held = 'schema' | 'schemas' | 'schemas by name' | 'values';

/** The keywords of draft 2020-12 that a plan may use, and `definitions` of earlier drafts. */
export const KEYWORDS: ReadonlyMap<string, Held> = new Map<string, Held>([
  ...named('schema', [
    'additionalProperties',
    'contains',
    'contentSchema',
    'else',
    'if',
    'items',
    'not',
    'propertyNames',
    'then',
    'unevaluatedItems',
    'unevaluatedProperties',
  ]),
  ...named('schemas', ['allOf', 'anyOf', 'oneOf', 'prefixItems']),
  ...named('schemas by name', ['$defs', 'definitions', 'dependentSchemas', 'patternProperties', 'properties']),
  ...named('values', [
    '$comment',
    '$ref',
    '$schema',
    'const',
    'contentEncoding',
    'contentMediaType',
    'default',
    'dependentRequired',
    'deprecated',
    'description',
    'enum',
    'examples',
    'exclusiveMaximum',
    'exclusiveMinimum',
    'format',
    'maxContains',
    'maxItems',
    'maxLength',
    'maxProperties',
    'maximum',
    'minContains',
    'minItems',
    'minLength',
    'minProperties',
    'minimum',
    'multipleOf',
    'pattern',
    'readOnly',
    'required',
    'title',
    'type',
    'uniqueItems',
    'writeOnly',
  ]),
]);

function named(held: Held, names: readonly string[]): [string, Held][] {
  return names.map((name) => [name, held]);
}
