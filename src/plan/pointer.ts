/** Writes a JSON pointer (RFC 6901). */
export const pointerOf = (keys: readonly (string | number)[]): string =>
  keys.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** Reads the keys of a JSON pointer. */
export const keysOf = (pointer: string): string[] =>
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

/** Returns the value at the end of the keys, or undefined if there is none. */
export function valueAt(root: unknown, keys: readonly string[]): unknown {
  let at = root;
  for (const key of keys) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}
