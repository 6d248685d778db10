import { isDate, isError } from '../base/platform/node.js';
import { describe } from '../base/text/describe.js';
import { formatPath } from './path.js';
import { isRecord } from './plain.js';

/** A value in a message that JSON cannot write. */
export interface Vanished {
  /** For example `track.properties.seen`. */
  readonly path: string;
  /** For example `a Set`. */
  readonly what: string;
  /** The text that is sent in its place. */
  readonly written: '{}' | 'null';
}

/** The code of the warning about vanished values. */
export const VANISHED_CODE = 'EVENTFERRY_VALUE_VANISHED';

/** Describes what vanished, and what to use instead. */
export interface VanishedText {
  readonly text: string;
  readonly advice: string;
}

/** Finds values that vanish from messages. It reports each kind once, because a program repeats the mistake at every call. */
export class VanishedOnce {
  #left: readonly Vanished['written'][] = ['{}', 'null'];

  /** Returns what to report about a message for which `mayLack` is true; undefined if there is nothing to report. */
  tell(message: object, root: string): VanishedText | undefined {
    const vanished = vanishedIn(message, root, this.#left);
    if (vanished === undefined) return undefined;
    const { path, what, written } = vanished;
    this.#left = this.#left.filter((each) => each !== written);
    const text = `${path} is ${what}, which JSON writes as ${written}, so that nothing of it arrives`;
    return { text, advice: `${ADVICE[written]}; this is told once` };
  }
}

const ADVICE = { '{}': 'give a plain object or an array', null: 'give a finite number, a valid date, or a text' };

/**
 * Finds the first value in a message that JSON wrote as `{}` or `null` by losing its contents. It writes `{}` for a `Map`, a
 * `Set` and the like, whose contents are not in visible fields, and `null` for a number that is not finite and for an invalid
 * date.
 */
export function vanishedIn(
  message: object,
  root: string,
  written: readonly Vanished['written'][],
): Vanished | undefined {
  try {
    return find(message, [], { root, written });
  } catch {
    // A getter or a proxy may throw this time. That does not matter, because the message has already been written.
    return undefined;
  }
}

interface Wanted {
  readonly root: string;
  readonly written: readonly Vanished['written'][];
}

function find(value: object, path: readonly PropertyKey[], wanted: Wanted): Vanished | undefined {
  for (const [key, field] of Object.entries(value)) {
    const written = writtenOf(field);
    const isNested =
      typeof field === 'object' && field !== null && typeof field.toJSON !== 'function' && !isError(field);
    if (written === undefined && !isNested) continue;
    const place = [...path, Array.isArray(value) ? Number(key) : key];
    if (written !== undefined && wanted.written.includes(written))
      return { path: formatPath(wanted.root, place), what: nameOf(field), written };
    const inside = isNested ? find(field, place, wanted) : undefined;
    if (inside !== undefined) return inside;
  }
  return undefined;
}

/** Returns what JSON writes in place of a value that it cannot write. */
function writtenOf(value: unknown): Vanished['written'] | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'null';
  if (typeof value !== 'object' || value === null) return undefined;
  if (isDate(value)) return Number.isNaN(value.getTime()) ? 'null' : undefined;
  return isHollow(value) && !isError(value) ? '{}' : undefined;
}

/** Tells whether an object, such as a `Map`, has contents but no fields that JSON sees. */
const isHollow = (value: object): boolean =>
  !Array.isArray(value) &&
  !isRecord(value) &&
  !ArrayBuffer.isView(value) &&
  !('toJSON' in value) &&
  Object.keys(value).length === 0;

const nameOf = (value: unknown): string => (typeof value === 'number' ? String(value) : describe(value));
