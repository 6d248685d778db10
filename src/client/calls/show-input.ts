import { kindOf } from '../../base/text/describe.js';
import { excerpt } from '../../base/text/printable.js';

/** The most characters that are shown. The rest of the input is not even read. */
const LENGTH = 200;
const DEPTH = 3;

/**
 * Shows any argument of a call in at most 200 printable characters: `{ userId: 42, event: "Signed In" }`. Never throws, and never
 * calls a getter or a `toJSON`, because that may be what is wrong.
 */
export function showInput(value: unknown): string {
  return excerpt(textOf(value, DEPTH));
}

function textOf(value: unknown, depth: number): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, LENGTH));
  if (typeof value === 'bigint') return 'a BigInt';
  if (typeof value === 'function' || typeof value === 'symbol') return kindOf(value);
  if (typeof value !== 'object' || value === null) return String(value);
  try {
    return textOfObject(value, depth);
  } catch {
    // A proxy may throw when it is inspected.
    return kindOf(value);
  }
}

function textOfObject(value: object, depth: number): string {
  const isArray = Array.isArray(value);
  if (!isArray && Object.prototype.toString.call(value) !== '[object Object]') return kindOf(value);
  if (depth === 0) return isArray ? '[…]' : '{…}';
  const shown: string[] = [];
  let length = 0;
  for (const key of isArray ? indexesOf(value) : keysOf(value)) {
    const text = textOfField(value, key, depth - 1);
    shown.push(isArray ? text : `${key.slice(0, LENGTH)}: ${text}`);
    length += text.length + key.length;
    if (length > LENGTH) break;
  }
  if (isArray) return `[${shown.join(', ')}]`;
  return shown.length === 0 ? '{}' : `{ ${shown.join(', ')} }`;
}

/** Yields the indexes one by one; `keysOf` would first convert all of them to text. */
function* indexesOf(list: readonly unknown[]): Iterable<string> {
  const shown = Math.min(list.length, LENGTH);
  for (let index = 0; index < shown; index++) if (Object.hasOwn(list, index)) yield String(index);
}

function* keysOf(value: object): Iterable<string> {
  for (const key in value) yield key;
}

function textOfField(holder: object, key: string, depth: number): string {
  const field = Object.getOwnPropertyDescriptor(holder, key);
  return field !== undefined && 'value' in field ? textOf(field.value, depth) : 'a getter';
}
