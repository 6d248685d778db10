/** Writes a path the way one would type it: `track.properties.items[3]["unit price"]`. */
export function formatPath(root: string, keys: readonly PropertyKey[]): string {
  let path = root;
  for (const key of keys) path += formatKey(key);
  return path;
}

function formatKey(key: PropertyKey): string {
  if (typeof key === 'number') return `[${key}]`;
  const name = String(key);
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(shorten(name))}]`;
}

const LONGEST_KEY = 40;

const shorten = (name: string): string => (name.length <= LONGEST_KEY ? name : `${name.slice(0, LONGEST_KEY)}…`);
