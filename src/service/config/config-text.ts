import { isRecord } from '../../protocol/plain.js';
import { MAX_DEPTH, type Parsed, parseYaml } from './syntax.js';

/** The text of a configuration. It is parsed with all its places only where it is no plain JSON, or a mistake is to be shown. */
export class ConfigText {
  /** Undefined where the text is no plain JSON. */
  readonly json: unknown;
  readonly #text: string;
  #parsed: Parsed | undefined;

  constructor(text: string) {
    this.#text = text;
    this.json = plainJson(text);
  }

  get parsed(): Parsed {
    this.#parsed ??= parseYaml(this.#text);
    return this.#parsed;
  }
}

/** A text in quotes, and the colon that makes it a key. */
const TEXTS = /"(?:[^"\\]|\\.)*"(\s*:)?/g;

/**
 * Reads a text that is JSON without a mistake: no key twice, no key of a prototype, and not too deep. Undefined for
 * any other, which is read as YAML: that reader knows places, and takes a hundred times the memory.
 */
function plainJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return keysIn(value, 0) === keysOfText(text) ? value : undefined;
}

/** Counts the keys in the text: a key that the text has twice is in the value once. */
function keysOfText(text: string): number {
  let keys = 0;
  for (const [, colon] of text.matchAll(TEXTS)) if (colon !== undefined) keys++;
  return keys;
}

/** Counts the keys of the value; NaN when it is too deep or has the key of a prototype. */
function keysIn(value: unknown, depth: number): number {
  if (depth > MAX_DEPTH) return Number.NaN;
  let keys = 0;
  if (Array.isArray(value)) for (const item of value) keys += keysIn(item, depth + 1);
  else if (isRecord(value))
    for (const [key, inner] of Object.entries(value))
      keys += key === '__proto__' ? Number.NaN : 1 + keysIn(inner, depth + 1);
  return keys;
}
