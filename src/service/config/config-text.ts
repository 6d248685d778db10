import { isRecord } from '../../protocol/plain.js';
import { MAX_DEPTH, type Parsed, parseYaml } from './syntax.js';

/** The text of a configuration. Places are parsed only if the text is not plain JSON or a mistake has to be shown. */
export class ConfigText {
  /** The parsed value; undefined if the text is not plain JSON. */
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

/** A quoted text, and the colon after it if it is a key. */
const TEXTS = /"(?:[^"\\]|\\.)*"(\s*:)?/g;

/**
 * Parses a text that is JSON without mistakes: no key twice, no key of a prototype, and not nested too deeply. Returns undefined
 * for any other text, which the YAML parser then reads. It also tells the place of a value, but needs a hundred times the memory.
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

/** Counts the keys in the text. A key that the text repeats is counted each time, but is in the value only once. */
function keysOfText(text: string): number {
  let keys = 0;
  for (const [, colon] of text.matchAll(TEXTS)) if (colon !== undefined) keys++;
  return keys;
}

/** Counts the keys in the value; NaN if it is nested too deeply or has a key of a prototype. */
function keysIn(value: unknown, depth: number): number {
  if (depth > MAX_DEPTH) return Number.NaN;
  let keys = 0;
  if (Array.isArray(value)) for (const item of value) keys += keysIn(item, depth + 1);
  else if (isRecord(value))
    for (const [key, inner] of Object.entries(value))
      keys += key === '__proto__' ? Number.NaN : 1 + keysIn(inner, depth + 1);
  return keys;
}
