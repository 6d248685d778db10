import { valueAt } from '../base/options/key-path.js';

/** Writes a JSON pointer (RFC 6901). */
export const pointerOf = (keys: readonly (string | number)[]): string =>
  keys.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** Reads the keys of a JSON pointer. */
const keysOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));

/** Reads the keys of a `$ref` such as `#/$defs/money`. Returns undefined if it does not point into the same document. */
export function keysOfRef(ref: string): string[] | undefined {
  if (ref === '#') return [];
  if (!ref.startsWith('#/')) return undefined;
  try {
    return keysOf(decodeURIComponent(ref.slice(1)));
  } catch {
    return undefined;
  }
}

/** Reads the keys of a JSON pointer into a value, and converts those of lists to numbers. */
export function keysIn(value: unknown, pointer: string): (string | number)[] {
  let at = value;
  return keysOf(pointer).map((key) => {
    const shown = Array.isArray(at) ? Number(key) : key;
    at = valueAt(at, [key]);
    return shown;
  });
}
