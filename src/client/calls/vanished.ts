import { isError } from '../../base/platform/node.js';
import { describe } from '../../base/text/describe.js';
import { isRecord } from '../../protocol/is.js';
import type { Message } from '../../protocol/message.js';
import { formatPath } from '../../protocol/path.js';

/** Something in a message of which JSON wrote nothing: it arrives as `{}`. */
export interface Vanished {
  /** `track.properties.seen` */
  readonly path: string;
  /** `a Set` */
  readonly what: string;
}

/**
 * The first `Map`, `Set` and the like in a message that was written as `{}`, as it keeps what it has in no field that JSON
 * sees.
 *
 * @param json what was written of the message
 */
export function vanishedIn(message: Message, json: string): Vanished | undefined {
  // Of nearly every message this says at once that nothing has.
  if (!json.includes('{}')) return undefined;
  try {
    return find(message, [], message.type);
  } catch {
    // A getter or a proxy may throw this time: the message is written, and nothing else is wrong with it.
    return undefined;
  }
}

function find(value: object, path: readonly PropertyKey[], root: string): Vanished | undefined {
  for (const [key, field] of Object.entries(value)) {
    if (typeof field !== 'object' || field === null || typeof field.toJSON === 'function' || isError(field)) continue;
    const place = [...path, Array.isArray(value) ? Number(key) : key];
    if (isHollow(field)) return { path: formatPath(root, place), what: describe(field) };
    const inside = find(field, place, root);
    if (inside !== undefined) return inside;
  }
  return undefined;
}

/** Is no plain object, and shows JSON nothing of what it has. */
const isHollow = (value: object): boolean =>
  !Array.isArray(value) && !isRecord(value) && !ArrayBuffer.isView(value) && Object.keys(value).length === 0;
