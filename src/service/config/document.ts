import { type Alias, isAlias, isMap, isScalar, isSeq, type Node, type YAMLMap } from 'yaml';
import { replaceReferences, type Surroundings } from './environment.js';
import { schemaAt } from './json-schema.js';
import { type Finding, type Keys, keyOf, type Place } from './places.js';
import { MAX_DEPTH, type Parsed, parseYaml, type SyntaxFault } from './syntax.js';

/** How many aliases are followed: one that leads to itself, or to many that lead to many, has no end. */
const MAX_ALIASES = 1_000;

/** What a file holds: plain values, with every reference replaced, and where each stands. */
export class ConfigDocument {
  readonly value: unknown;
  /** When there are any, the rest means nothing. */
  readonly faults: readonly SyntaxFault[];
  readonly findings: Finding[] = [];
  readonly #surroundings: Surroundings;
  readonly #parsed: Parsed;
  readonly #offsets = new Map<string, { readonly key: number; readonly value: number }>();
  readonly #variables = new Map<string, readonly string[]>();
  readonly #files = new Set<string>();
  #aliases = 0;

  constructor(text: string, surroundings: Surroundings) {
    this.#surroundings = surroundings;
    this.#parsed = parseYaml(text);
    this.faults = this.#parsed.faults;
    this.value = this.faults.length > 0 ? undefined : this.#read(this.#parsed.document?.contents, []);
  }

  /** Of what is not there: the place of what it is missing from. */
  placeOf(keys: Keys, isOfKey = false): Place {
    for (let length = keys.length; length >= 0; length--) {
      const offsets = this.#offsets.get(keyOf(keys.slice(0, length)));
      if (offsets !== undefined) return this.#parsed.placeOf(isOfKey ? offsets.key : offsets.value);
    }
    return { line: 1, column: 1 };
  }

  /** The files that its texts are made with, by their absolute paths. */
  get files(): ReadonlySet<string> {
    return this.#files;
  }

  /** The variables and files that a text was made with. */
  variablesOf(keys: Keys): readonly string[] {
    return this.#variables.get(keyOf(keys)) ?? [];
  }

  #note(keys: Keys, expected: string, received: string, isOfKey = false): void {
    this.findings.push({ keys, expected, received, isOfKey });
  }

  #read(node: unknown, keys: Keys, keyOffset?: number): unknown {
    if (keys.length > MAX_DEPTH) return this.#note(keys, `${MAX_DEPTH} levels at most`, 'more');
    const value = (node as Node | null | undefined)?.range?.[0] ?? keyOffset ?? 0;
    if (!this.#offsets.has(keyOf(keys))) this.#offsets.set(keyOf(keys), { key: keyOffset ?? value, value });
    if (isMap(node)) return this.#readMap(node, keys);
    if (isSeq(node)) return node.items.map((item, index) => this.#read(item, [...keys, index]));
    if (isAlias(node)) return this.#follow(this.#resolve(node), keys);
    if (!isScalar(node)) return null;
    return typeof node.value === 'string' ? this.#replace(node.value, keys) : node.value;
  }

  #resolve(alias: Alias): Node | undefined {
    return this.#parsed.document === undefined ? undefined : alias.resolve(this.#parsed.document);
  }

  #follow(node: Node | undefined, keys: Keys): unknown {
    this.#aliases++;
    if (node !== undefined && this.#aliases <= MAX_ALIASES) return this.#read(node, keys);
    const expected = node === undefined ? 'an anchor before its alias' : `at most ${MAX_ALIASES} aliases in a file`;
    this.#note(keys, expected, node === undefined ? 'an alias without one' : 'more');
    return undefined;
  }

  #readMap(map: YAMLMap, keys: Keys): Record<string, unknown> {
    const entries = new Map<string, unknown>();
    for (const { key, value } of map.items) {
      const offset = (key as Node | null)?.range?.[0] ?? 0;
      const name = isScalar(key) ? key.value : undefined;
      const inner = [...keys, String(name ?? '?')];
      if (entries.has(String(name))) {
        const received = `the one of line ${this.placeOf(inner, true).line} again`;
        this.findings.push({ keys: inner, expected: 'each key once', received, place: this.#parsed.placeOf(offset) });
      } else if (typeof name === 'string' && name !== '__proto__') {
        entries.set(name, this.#read(value, inner, offset));
      } else {
        this.#offsets.set(keyOf(inner), { key: offset, value: offset });
        this.#note(inner, 'a key that is text, in quotes where it would be something else', 'another', true);
      }
    }
    return Object.fromEntries(entries);
  }

  #replace(given: string, keys: Keys): unknown {
    const { text, used, missing, files, isMalformed } = replaceReferences(given, this.#surroundings);
    if (used.length > 0) this.#variables.set(keyOf(keys), used);
    for (const name of missing) this.#note(keys, `the environment to have ${name}`, 'no such variable');
    for (const path of files) this.#noteFile(keys, path);
    if (isMalformed)
      this.#note(
        keys,
        'a name of letters, digits and _, or file:PATH, behind ${, or $${ for a plain one',
        'another text',
      );
    return used.length > 0 ? asWanted(text, schemaAt(undefined, keys)?.type) : text;
  }

  #noteFile(keys: Keys, path: string): void {
    this.#files.add(path);
    const problem = this.#surroundings.files.get(path)?.problem;
    if (problem !== undefined) this.#note(keys, `a file of text at ${path}`, problem);
  }
}

/** What comes from the environment or a file is text: where a number or a switch is wanted, it is read as one. */
function asWanted(text: string, type: string | undefined): unknown {
  if (type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}
