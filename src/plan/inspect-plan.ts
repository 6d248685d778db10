import { valueAt } from '../base/options/key-path.js';
import { didYouMean } from '../base/options/suggest.js';
import { isJsonObject } from '../base/text/decode.js';
import { describe } from '../base/text/describe.js';
import { FORMATS } from './formats.js';
import { type Held, KEYWORDS } from './keywords.js';
import { DESCRIBED_TYPES } from './plan.js';
import type { PlanProblem } from './plan-errors.js';
import { keysOfRef, pointerOf } from './pointer.js';

type Keys = readonly (string | number)[];

const ROOT_KEYS = ['$schema', 'description', 'events', ...DESCRIBED_TYPES, '$defs'];
const SCHEMA = 'a schema: an object, true or false';
const DRAFT = 'https://json-schema.org/draft/2020-12/schema';
const MAX_DEPTH = 200;

/** The most items that `uniqueItems` may compare with each other. A hostile list of thousands would take seconds. */
const MOST_COMPARED = 1_000;
const SCALARS = ['string', 'number', 'integer', 'boolean', 'null'];

/** Finds mistakes that JSON Schema itself would ignore, or that ajv would report without their place. */
export function inspectPlan(plan: unknown): PlanProblem[] {
  if (!isJsonObject(plan)) return [{ pointer: '', expected: 'an object with `events`', received: describe(plan) }];
  const inspection = new Inspection(plan);
  for (const key of Object.keys(plan)) if (!ROOT_KEYS.includes(key)) inspection.unknownKey([], key, ROOT_KEYS);
  inspection.schemas(['events'], plan['events'] ?? 'nothing');
  if (plan['$defs'] !== undefined) inspection.schemas(['$defs'], plan['$defs']);
  for (const type of DESCRIBED_TYPES) if (plan[type] !== undefined) inspection.schema([type], plan[type]);
  return inspection.problems;
}

class Inspection {
  readonly problems: PlanProblem[] = [];
  readonly #plan: Readonly<Record<string, unknown>>;

  constructor(plan: Readonly<Record<string, unknown>>) {
    this.#plan = plan;
  }

  unknownKey(at: Keys, key: string, known: readonly string[]): void {
    const expected =
      at.length === 0 ? `one of ${known.join(', ')}` : 'a keyword of JSON Schema, or a name that begins with x-';
    const received = `an unknown key${didYouMean(key, known)}`;
    this.problems.push({ pointer: pointerOf([...at, key]), expected, received });
  }

  schemas(at: Keys, value: unknown): void {
    if (!isJsonObject(value)) return void this.#wrong(at, 'an object of schemas by name', value);
    for (const [name, schema] of Object.entries(value)) this.schema([...at, name], schema);
  }

  schema(at: Keys, value: unknown): void {
    if (at.length > MAX_DEPTH) return void this.#wrong(at, `at most ${MAX_DEPTH} levels`, value);
    if (typeof value === 'boolean') return;
    if (Array.isArray(value)) return void this.#wrong(at, `${SCHEMA}; a list of schemas is \`prefixItems\``, value);
    if (!isJsonObject(value)) return void this.#wrong(at, SCHEMA, value);
    for (const [key, held] of Object.entries(value)) {
      const kind = KEYWORDS.get(key);
      if (kind !== undefined) this.#keyword([...at, key], kind, held);
      else if (!key.startsWith('x-')) this.unknownKey(at, key, [...KEYWORDS.keys()]);
    }
    this.#bounded(at, value);
  }

  #keyword(at: Keys, held: Held, value: unknown): void {
    if (held === 'schema') return void this.schema(at, value);
    if (held === 'schemas by name') return void this.#schemasByName(at, value);
    if (held === 'schemas') {
      if (!Array.isArray(value)) return void this.#wrong(at, 'a list of schemas', value);
      for (const [index, schema] of value.entries()) this.schema([...at, index], schema);
    }
    this.#value(at, value);
  }

  #schemasByName(at: Keys, value: unknown): void {
    for (const name of isJsonObject(value) ? Object.keys(value) : []) {
      if (at.at(-1) === 'patternProperties') this.#pattern([...at, name], name);
      // ajv ignores a schema of this name and would accept every value.
      if (name === '__proto__') this.#wrong([...at, name], 'another name than `__proto__`', name);
    }
    this.schemas(at, value);
  }

  #value(at: Keys, value: unknown): void {
    const keyword = at.at(-1);
    if (keyword === '$ref') this.#ref(at, value);
    if (keyword === '$schema' && value !== DRAFT) this.#wrong(at, DRAFT, value);
    if (keyword === 'pattern' && typeof value === 'string') this.#pattern(at, value);
    if (keyword === 'format' && typeof value === 'string' && !FORMATS.has(value))
      this.#wrong(at, `one of ${[...FORMATS.keys()].join(', ')}`, value);
  }

  #ref(at: Keys, value: unknown): void {
    const expected = 'the place of a schema in this plan, such as #/$defs/money';
    const seen = new Set<unknown>();
    for (let ref: unknown = value; ref !== undefined; ) {
      const keys = typeof ref === 'string' ? keysOfRef(ref) : undefined;
      if (keys === undefined) return void this.#wrong(at, expected, value);
      const target = valueAt(this.#plan, keys);
      if (keys.length < 2 && !DESCRIBED_TYPES.some((type) => type === keys[0]))
        return void this.#wrong(at, expected, value);
      if (!isJsonObject(target)) {
        if (typeof target !== 'boolean') this.#wrong(at, expected, value);
        return;
      }
      if (seen.has(target)) return void this.#wrong(at, 'a schema that is more than a reference to itself', value);
      seen.add(target);
      ref = target['$ref'];
    }
  }

  #pattern(at: Keys, pattern: string): void {
    try {
      new RegExp(pattern, 'u');
    } catch {
      this.#wrong(at, 'a regular expression of JavaScript, with the flag u', pattern);
    }
  }

  /** Requires a limit for `uniqueItems`, because a client may send a list of tens of thousands of items. */
  #bounded(at: Keys, { uniqueItems, items, maxItems }: Readonly<Record<string, unknown>>): void {
    if (uniqueItems !== true || (typeof maxItems === 'number' && maxItems <= MOST_COMPARED)) return;
    const types = isJsonObject(items) ? [items['type']].flat() : [];
    if (types.length > 0 && types.every((type) => SCALARS.includes(String(type)))) return;
    const expected = `items whose \`type\` is a scalar, or a \`maxItems\` of at most ${MOST_COMPARED}`;
    this.problems.push({ pointer: pointerOf([...at, 'uniqueItems']), expected, received: 'neither' });
  }

  #wrong(at: Keys, expected: string, value: unknown): void {
    const received = at.length === 1 && value === 'nothing' ? value : describe(value);
    this.problems.push({ pointer: pointerOf(at), expected, received });
  }
}
