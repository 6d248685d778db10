import { valueAt } from '../../base/options/key-path.js';
import { isJsonObject } from '../../base/text/decode.js';
import type { JsonSchema, Plan } from '../plan.js';
import { keysOfRef } from '../pointer.js';
import { docOf } from './doc.js';
import { propertyKey } from './type-names.js';

type Keywords = Readonly<Record<string, unknown>>;

const INDENT = '  ';
const ANY_OBJECT = '{ readonly [name: string]: unknown }';

/**
 * Writes the TypeScript type of a JSON Schema. The type accepts every value that the schema accepts: keywords that
 * narrow it further, such as `pattern` or `if`, are left to the check at run time.
 */
export class TypeWriter {
  readonly #plan: Plan;
  /** Makes a unique name of a type. */
  readonly #nameOf: (text: string) => string;
  /** The names of types that others refer to, by their `$ref`. */
  readonly #named = new Map<string, string>();
  readonly #declarations: string[] = [];

  constructor(plan: Plan, nameOf: (text: string) => string) {
    this.#plan = plan;
    this.#nameOf = nameOf;
  }

  /** Writes the declaration of a type for a message's `properties` or `traits`, which are always objects. */
  declare(name: string, schema: JsonSchema): string {
    if (!isJsonObject(schema) || Object.keys(schema).every(isAnnotation))
      return `${docOf(schema)}export type ${name} = ${schema === false ? 'never' : ANY_OBJECT};\n`;
    return this.#declaration(name, { type: 'object', ...schema });
  }

  /** Returns the declarations of types that those written so far refer to. */
  referred(): string {
    return this.#declarations.join('\n');
  }

  #declaration(name: string, schema: JsonSchema): string {
    const type = this.#typeOf(schema, '');
    const isPlain = type.startsWith('{\n') && isJsonObject(schema) && isObjectAlone(schema);
    return `${docOf(schema)}${isPlain ? `export interface ${name} ${type}` : `export type ${name} = ${type};`}\n`;
  }

  #typeOf(schema: unknown, indent: string): string {
    if (schema === false) return 'never';
    if (!isJsonObject(schema)) return 'unknown';
    const parts = [
      ...(typeof schema['$ref'] === 'string' ? [this.#refer(schema['$ref'])] : []),
      ...literals(schema),
      ...this.#ownType(schema, indent),
      ...lists(schema, ['anyOf', 'oneOf']).map((schemas) => this.#union(schemas, indent)),
      ...lists(schema, ['allOf']).flatMap((schemas) => schemas.map((one) => this.#typeOf(one, indent))),
    ].filter((part) => !part.startsWith('unknown'));
    const [only] = parts;
    if (only === undefined) return unsaid(schema);
    return parts.length === 1 ? only : [...new Set(parts)].map(inParentheses).join(' & ');
  }

  #refer(ref: string): string {
    const found = this.#named.get(ref);
    if (found !== undefined) return found;
    const keys = keysOfRef(ref) ?? [];
    const name = this.#nameOf(keys.at(-1) ?? '');
    // The type is named before it is written, because it may refer to itself.
    this.#named.set(ref, name);
    const place = this.#declarations.push('') - 1;
    // The plan was checked, so a reference leads to a schema.
    this.#declarations[place] = this.#declaration(name, valueAt(this.#plan, keys) as JsonSchema);
    return name;
  }

  #ownType(schema: Keywords, indent: string): string[] {
    if (schema['const'] !== undefined || schema['enum'] !== undefined) return [];
    const { type = impliedType(schema) } = schema;
    const types = [type]
      .flat()
      .flatMap((one) => (one === undefined ? [] : [this.#typeNamed(String(one), schema, indent)]));
    return types.length === 0 ? [] : [union(types)];
  }

  #typeNamed(name: string, schema: Keywords, indent: string): string {
    if (name === 'object') return this.#object(schema, indent);
    if (name === 'array') return this.#array(schema, indent);
    return name === 'integer' ? 'number' : name;
  }

  #object(schema: Keywords, indent: string): string {
    const { properties, required, additionalProperties, patternProperties } = schema;
    const inner = indent + INDENT;
    const known = isJsonObject(properties) ? properties : {};
    const needed = new Set(Array.isArray(required) ? required.map(String) : []);
    const names = [...Object.keys(known), ...[...needed].filter((name) => !Object.hasOwn(known, name))];
    const lines = names.map((name) => {
      const property = (known[name] ?? true) as JsonSchema;
      const mark = needed.has(name) ? '' : '?';
      return `${docOf(property, inner)}${inner}readonly ${propertyKey(name)}${mark}: ${this.#optional(this.#typeOf(property, inner), mark)};\n`;
    });
    const isClosed = additionalProperties === false && patternProperties === undefined;
    if (isClosed) return lines.length === 0 ? '{ readonly [name: string]: never }' : `{\n${lines.join('')}${indent}}`;
    const others =
      lines.length === 0 && patternProperties === undefined ? this.#typeOf(additionalProperties, indent) : 'unknown';
    if (lines.length === 0) return `{ readonly [name: string]: ${others} }`;
    return `{\n${lines.join('')}${inner}readonly [name: string]: unknown;\n${indent}}`;
  }

  /** Allows undefined under `exactOptionalPropertyTypes`, because JSON leaves out undefined properties. */
  #optional(type: string, mark: string): string {
    return mark === '' || type.startsWith('unknown') ? type : `${type} | undefined`;
  }

  #array({ items, prefixItems, minItems }: Keywords, indent: string): string {
    const rest = items === undefined ? 'unknown' : this.#typeOf(items, indent);
    if (!Array.isArray(prefixItems)) return `readonly ${inParentheses(rest)}[]`;
    const least = typeof minItems === 'number' ? minItems : 0;
    const first = prefixItems.map((item, index) => {
      const type = inParentheses(this.#typeOf(item, indent));
      return index < least ? type : `${type}?`;
    });
    return `readonly [${[...first, ...(items === false ? [] : [`...${inParentheses(rest)}[]`])].join(', ')}]`;
  }

  #union(schemas: readonly unknown[], indent: string): string {
    const types = schemas.map((schema) => this.#typeOf(schema, indent));
    return types.some((type) => type.startsWith('unknown')) ? 'unknown' : union(types);
  }
}

const isAnnotation = (keyword: string): boolean =>
  ['title', 'description', '$comment', '$schema', 'deprecated', 'examples', 'default'].includes(keyword) ||
  keyword.startsWith('x-');

const isObjectAlone = (schema: Keywords): boolean =>
  ['$ref', 'anyOf', 'oneOf', 'allOf'].every((keyword) => schema[keyword] === undefined);

/** Infers the type of a schema without `type` from its keywords. */
function impliedType({ properties, required, additionalProperties, items, prefixItems }: Keywords): string | undefined {
  if (properties !== undefined || required !== undefined || additionalProperties !== undefined) return 'object';
  return items !== undefined || prefixItems !== undefined ? 'array' : undefined;
}

function literals(schema: Keywords): string[] {
  if (Object.hasOwn(schema, 'const')) return [literal(schema['const'])];
  const { enum: values } = schema;
  return Array.isArray(values) ? [union(values.map(literal))] : [];
}

const literal = (value: unknown): string =>
  typeof value === 'object' && value !== null ? 'unknown' : JSON.stringify(value);

function lists(schema: Keywords, keywords: readonly string[]): (readonly unknown[])[] {
  return keywords.flatMap((keyword) => {
    const list = schema[keyword];
    return Array.isArray(list) ? [list] : [];
  });
}

function union(types: readonly string[]): string {
  if (types.includes('unknown')) return 'unknown';
  return [...new Set(types)].join(' | ');
}

/** Writes `unknown` with a comment that names the keywords that only the check at run time covers. */
function unsaid(schema: Keywords): string {
  const keywords = Object.keys(schema).filter((keyword) => !isAnnotation(keyword));
  return keywords.length === 0 ? 'unknown' : `unknown /* by ${keywords.join(', ').replaceAll('*/', '')} */`;
}

/** Adds parentheses unless the type is one word, an object or a tuple. */
const inParentheses = (type: string): string =>
  / [|&] |^readonly |\*\/$/.test(withoutBraces(type)) ? `(${type})` : type;

function withoutBraces(type: string): string {
  let depth = 0;
  let outside = '';
  for (const character of type) {
    if (character === '{') depth++;
    if (depth === 0) outside += character;
    if (character === '}') depth--;
  }
  return outside;
}
