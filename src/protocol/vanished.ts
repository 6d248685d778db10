import { isDate, isError } from '../base/platform/node.js';
import { describe } from '../base/text/describe.js';
import { formatPath } from './path.js';
import { isRecord } from './plain.js';

/** The text that JSON writes in place of a value that it cannot write. */
type Substitute = '{}' | 'null';

/** The code of the warning about vanished values. */
export const VANISHED_CODE = 'EVENTFERRY_VALUE_VANISHED';

const ADVICE = { '{}': 'give a plain object or an array', null: 'give a finite number, a valid date, or a text' };

/** What vanished, and what to use instead. */
interface VanishedText {
  readonly text: string;
  readonly advice: string;
}

/**
 * Finds values that vanish from messages: those that JSON wrote as `{}` or `null` by losing their contents. It writes `{}` for a
 * `Map`, a `Set` and the like, whose contents are not in visible fields, and `null` for a number that is not finite and for an
 * invalid date. Each kind is reported once, because a program repeats the mistake at every call.
 */
export class VanishedOnce {
  #left: readonly Substitute[] = ['{}', 'null'];

  /** Returns what to report about a message for which `mayLack` is true; undefined if there is nothing to report. */
  tell(message: object, root: string): VanishedText | undefined {
    try {
      return this.#find(message, root, []);
    } catch {
      // A getter or a proxy may throw this time. That does not matter, because the message has already been written.
      return undefined;
    }
  }

  #find(value: object, root: string, path: readonly PropertyKey[]): VanishedText | undefined {
    for (const [key, field] of Object.entries(value)) {
      const written = writtenOf(field);
      const isNested =
        typeof field === 'object' && field !== null && typeof field.toJSON !== 'function' && !isError(field);
      if (written === undefined && !isNested) continue;
      const place = [...path, Array.isArray(value) ? Number(key) : key];
      if (written !== undefined && this.#left.includes(written)) {
        const text = `${formatPath(root, place)} is ${nameOf(field)}, which JSON writes as ${written}, so that nothing of it arrives`;
        this.#left = this.#left.filter((each) => each !== written);
        return { text, advice: `${ADVICE[written]}; this is told once` };
      }
      const inside = isNested ? this.#find(field, root, place) : undefined;
      if (inside !== undefined) return inside;
    }
    return undefined;
  }
}

/** Returns what JSON writes in place of a value that it cannot write. */
function writtenOf(value: unknown): Substitute | undefined {
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
