import { once } from '../../base/structures/once.js';
import { lossIn } from '../../base/text/json-loss.js';
import { isRecord } from '../../protocol/plain.js';
import { MAX_DEPTH, parseYaml } from './syntax.js';

/** Reads the text of a configuration. Places are parsed only if the text is not plain JSON or a mistake has to be shown. */
export const configText = (text: string) => ({
  /** The parsed value; undefined if the text is not plain JSON. */
  json: plainJson(text),
  parsed: once(() => parseYaml(text)),
});

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
  return isUsable(value, 0) && lossIn(text, value) === undefined ? value : undefined;
}

/** Returns false if a value is nested too deeply or has a key of a prototype. */
function isUsable(value: unknown, depth: number): boolean {
  if (depth > MAX_DEPTH) return false;
  if (Array.isArray(value)) return value.every((item) => isUsable(item, depth + 1));
  if (!isRecord(value)) return true;
  return Object.entries(value).every(([key, inner]) => key !== '__proto__' && isUsable(inner, depth + 1));
}
