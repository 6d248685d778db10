import type { ErrorObject } from 'ajv';
import { isJsonObject } from '../base/text/decode.js';
import { plural } from '../base/text/plural.js';
import { shorten } from '../base/text/printable.js';

/** The most values or names that an error lists. */
const MOST_LISTED = 10;

/** Describes the expected value, from an error of ajv. */
export function expectedOf(error: ErrorObject): string {
  const { keyword, params, parentSchema = {} } = error;
  return EXPECTED[keyword]?.(params, parentSchema) ?? `a value that ${error.message ?? `holds \`${keyword}\``}`;
}

/** Returns the names of a schema's properties. */
export const propertyNames = (schema: unknown): string[] =>
  isJsonObject(schema) && isJsonObject(schema['properties']) ? Object.keys(schema['properties']) : [];

type Params = Readonly<Record<string, unknown>>;
type Expectation = (params: Params, schema: Params) => string;

const EXPECTED: Readonly<Record<string, Expectation>> = {
  type: ({ type }) => typesText(type),
  required: ({ missingProperty }, { properties }) =>
    typesText(isJsonObject(properties) ? typeIn(properties[String(missingProperty)]) : undefined),
  dependentRequired: ({ property }) => `a value, because ${JSON.stringify(property)} is present`,
  additionalProperties: (_, schema) => noProperty(schema),
  unevaluatedProperties: (_, schema) => noProperty(schema),
  propertyNames: () => 'a name that matches `propertyNames`',
  enum: ({ allowedValues }) => `one of ${listed((allowedValues as unknown[]).map(literal))}`,
  const: ({ allowedValue }) => literal(allowedValue),
  minimum: ({ limit }) => `a number of at least ${limit}`,
  maximum: ({ limit }) => `a number of at most ${limit}`,
  exclusiveMinimum: ({ limit }) => `a number above ${limit}`,
  exclusiveMaximum: ({ limit }) => `a number below ${limit}`,
  multipleOf: ({ multipleOf }) => `a multiple of ${multipleOf}`,
  minLength: ({ limit }) => `a string of at least ${counted(limit, 'character')}`,
  maxLength: ({ limit }) => `a string of at most ${counted(limit, 'character')}`,
  pattern: ({ pattern }) => `a string that matches /${shorten(String(pattern), 80)}/`,
  format: ({ format }) => `a string of the format ${format}`,
  minItems: ({ limit }) => `at least ${counted(limit, 'item')}`,
  maxItems: ({ limit }) => `at most ${counted(limit, 'item')}`,
  uniqueItems: () => 'items that differ from each other',
  contains: ({ minContains }) => `at least ${counted(minContains, 'item')} that match \`contains\``,
  minProperties: ({ limit }) => `an object of at least ${counted(limit, 'property')}`,
  maxProperties: ({ limit }) => `an object of at most ${counted(limit, 'property')}`,
  anyOf: (_, { anyOf }) => alternatives(anyOf),
  oneOf: ({ passingSchemas }, { oneOf }) =>
    Array.isArray(passingSchemas) ? 'a value that matches one alternative, not two' : alternatives(oneOf),
  not: () => 'a value that does not match `not`',
  'false schema': () => 'no value',
};

const WITH_ARTICLE: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
  null: 'null',
};

/** `type` is undefined, a name, or a list of names. */
function typesText(type: unknown): string {
  const names = [type].flat().flatMap((name) => WITH_ARTICLE[String(name)] ?? []);
  return names.length === 0 ? 'a value' : names.join(' or ');
}

const typeIn = (schema: unknown): unknown => (isJsonObject(schema) ? schema['type'] : undefined);

function alternatives(schemas: unknown): string {
  const types = Array.isArray(schemas) ? schemas.map(typeIn) : [];
  const areTypes = types.length > 0 && types.every((type) => type !== undefined);
  return areTypes && new Set(types).size === types.length
    ? typesText(types.flat())
    : `a value that matches one of ${types.length} alternatives`;
}

function noProperty(schema: Params): string {
  const names = propertyNames(schema);
  return names.length === 0 ? 'no such property' : `one of ${listed(names)}`;
}

const literal = (value: unknown): string => shorten(JSON.stringify(value), 60);

const counted = (count: unknown, noun: string): string => plural(Number(count), noun);

const listed = (names: readonly string[]): string =>
  names.length <= MOST_LISTED
    ? names.join(', ')
    : `${names.slice(0, MOST_LISTED).join(', ')} and ${names.length - MOST_LISTED} more`;
