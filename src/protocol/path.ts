import { printable } from '../base/text/printable.js';

/** How many keys of a long path are shown at its beginning and at its end. */
const SHOWN_KEYS = 4;
const LONGEST_KEY = 40;

/** Formats a path the way it would be typed: `track.properties.items[3]["unit price"]`. The middle of a long path is left out. */
export function formatPath(root: string, keys: readonly PropertyKey[]): string {
  if (keys.length <= 2 * SHOWN_KEYS) return formatKeys(root, keys);
  return formatKeys(`${formatKeys(root, keys.slice(0, SHOWN_KEYS))}…`, keys.slice(-SHOWN_KEYS));
}

function formatKeys(root: string, keys: readonly PropertyKey[]): string {
  let path = root;
  for (const key of keys) path += formatKey(key);
  return path;
}

function formatKey(key: PropertyKey): string {
  if (typeof key === 'number') return `[${key}]`;
  const name = String(key);
  return /^[A-Za-z_$][\w$]{0,39}$/.test(name) ? `.${name}` : `[${printable(JSON.stringify(shorten(name)))}]`;
}

const shorten = (name: string): string => (name.length <= LONGEST_KEY ? name : `${name.slice(0, LONGEST_KEY)}…`);

/** Returns the value at a path. */
export const valueAt = (root: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((value, key) => (value as Readonly<Record<PropertyKey, unknown>>)[key], root);
