import { printable, shorten } from './printable.js';

const LONGEST_QUOTED = 40;

/** Describes a value for an error message in a few words: its type, and the value itself only if it is short. */
export function describe(value: unknown): string {
  if (typeof value === 'string' && value.length <= LONGEST_QUOTED) return `string ${printable(JSON.stringify(value))}`;
  return typeof value === 'number' || typeof value === 'boolean' ? `${typeof value} ${value}` : kindOf(value);
}

/** Describes a value that may be a secret, even if it is wrong: by its kind, and a string by its length. */
export function kindOf(value: unknown): string {
  if (typeof value === 'string') return value === '' ? 'an empty string' : `a string of ${value.length} characters`;
  if (typeof value === 'object' && value !== null) return describeObject(value);
  return value == null ? `${value}` : `a ${typeof value}`;
}

function describeObject(value: object): string {
  try {
    if (Array.isArray(value)) return 'an array';
    if (value instanceof Date && Number.isNaN(value.getTime())) return 'an invalid Date';
    const name = Object.prototype.toString.call(value).slice('[object '.length, -1);
    if (name === 'Object') return 'an object';
    return `${/^[AEIO]/.test(name) ? 'an' : 'a'} ${shorten(printable(name), LONGEST_QUOTED)}`;
  } catch {
    // A proxy may throw whenever it is inspected; it is still an object.
    return 'an object';
  }
}
