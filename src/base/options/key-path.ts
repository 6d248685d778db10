/** The path of a value: `['destinations', 0, 'name']`. */
export type Keys = readonly (string | number)[];

/** Returns the value at a path; undefined if there is none. */
export function valueAt(value: unknown, keys: Keys): unknown {
  let at = value;
  for (const key of keys) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string | number, unknown>)[key];
  }
  return at;
}
