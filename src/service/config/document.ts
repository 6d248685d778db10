import { type Alias, isAlias, isMap, isScalar, isSeq, type Node, type YAMLMap } from 'yaml';
import type { Keys } from '../../base/options/key-path.js';
import { kindAt } from '../../base/options/schema-at.js';
import type { configText } from './config-text.js';
import { type ConfigValues, copyPlain } from './config-values.js';
import { type ReferenceTargets, replaceReferences } from './environment.js';
import { type Finding, keyOf, type TextPlace } from './places.js';
import { configSchema } from './schema.js';
import { MAX_DEPTH, type SyntaxFault } from './syntax.js';

/** The limit stops aliases that refer to themselves or multiply without end. */
const MAX_ALIASES = 1_000;

/** An item of a list, or a field of an object, which has a key. */
interface DocumentEntry {
  readonly key: unknown;
  readonly value: unknown;
}

/** The content of a file: plain values in which every reference is replaced, and the place of each. */
export class ConfigDocument implements ConfigValues {
  readonly value: unknown;
  /** If there are any, the values are not usable. */
  readonly faults: readonly SyntaxFault[];
  readonly findings: Finding[] = [];
  /** The absolute paths of the files that its texts refer to. */
  readonly files = new Set<string>();
  readonly #targets: ReferenceTargets;
  readonly #text: ReturnType<typeof configText>;
  readonly #variables = new Map<string, readonly string[]>();
  #aliases = 0;

  constructor(text: ReturnType<typeof configText>, targets: ReferenceTargets) {
    this.#targets = targets;
    this.#text = text;
    const { json } = text;
    this.faults = json === undefined ? text.parsed().faults : [];
    if (json !== undefined)
      this.value = copyPlain(json, [], this.findings, (given, keys) => this.#replace(given, keys));
    else this.value = this.faults.length > 0 ? undefined : this.#read(text.parsed().document?.contents, []);
  }

  /** Finds the place of a value or, if it does not exist, of the innermost existing value around it. */
  placeOf({ keys, isOfKey = false, place }: Pick<Finding, 'keys' | 'isOfKey' | 'place'>): TextPlace {
    if (place !== undefined) return place;
    let at: DocumentEntry = { key: undefined, value: this.#text.parsed().document?.contents };
    for (const key of keys) {
      const inner = this.#entryOf(at.value, key);
      if (inner === undefined) break;
      at = inner;
    }
    return this.#text.parsed().placeOf(isOfKey ? at.key : (at.value ?? at.key));
  }

  /** Returns the variables and files that a text refers to. */
  variablesOf(keys: Keys): readonly string[] {
    return this.#variables.get(keyOf(keys)) ?? [];
  }

  #entryOf(node: unknown, key: string | number): DocumentEntry | undefined {
    const collection = isAlias(node) ? this.#resolve(node) : node;
    if (isMap(collection)) return collection.items.find((pair) => isScalar(pair.key) && pair.key.value === key);
    return isSeq(collection) ? { key: undefined, value: collection.get(key, true) } : undefined;
  }

  #resolve(alias: Alias): Node | undefined {
    const { document } = this.#text.parsed();
    return document && alias.resolve(document);
  }

  #read(node: unknown, keys: Keys): unknown {
    if (keys.length > MAX_DEPTH)
      return void this.findings.push({ keys, expected: `${MAX_DEPTH} levels at most`, received: 'more' });
    if (isMap(node)) return this.#readMap(node, keys);
    if (isSeq(node)) return node.items.map((item, index) => this.#read(item, [...keys, index]));
    if (isAlias(node)) return this.#follow(this.#resolve(node), keys);
    if (!isScalar(node)) return null;
    return typeof node.value === 'string' ? this.#replace(node.value, keys) : node.value;
  }

  #follow(node: Node | undefined, keys: Keys): unknown {
    this.#aliases++;
    if (node !== undefined && this.#aliases <= MAX_ALIASES) return this.#read(node, keys);
    this.findings.push(
      node === undefined
        ? { keys, expected: 'an anchor before its alias', received: 'an alias without one' }
        : { keys, expected: `at most ${MAX_ALIASES} aliases in a file`, received: 'more' },
    );
    return undefined;
  }

  #readMap(map: YAMLMap, keys: Keys): Record<string, unknown> {
    const entries = new Map<string, unknown>();
    for (const { key, value } of map.items) {
      const name = isScalar(key) ? key.value : undefined;
      const inner = [...keys, String(name ?? '?')];
      const place = this.#text.parsed().placeOf(key);
      if (typeof name !== 'string' || name === '__proto__') {
        const expected = 'a key that is text, in quotes if YAML reads it as something else';
        this.findings.push({ keys: inner, expected, received: 'another', place });
      } else if (entries.has(name)) {
        const received = `the key of line ${this.placeOf({ keys: inner, isOfKey: true }).line} again`;
        this.findings.push({ keys: inner, expected: 'each key once', received, place });
      } else entries.set(name, this.#read(value, inner));
    }
    return Object.fromEntries(entries);
  }

  #replace(given: string, keys: Keys): unknown {
    const { text, used, files, complaints } = replaceReferences(given, this.#targets);
    for (const path of files) this.files.add(path);
    for (const complaint of complaints) this.findings.push({ keys, ...complaint });
    if (used.length === 0) return text;
    this.#variables.set(keyOf(keys), used);
    return asWanted(text, kindAt(configSchema, undefined, keys));
  }
}

/** Converts a text from the environment or a file to a number or boolean if the schema expects one there. */
function asWanted(text: string, kind: ReturnType<typeof kindAt>): unknown {
  if (kind === 'number' && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (kind === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}
