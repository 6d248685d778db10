import { formatPath } from '../../protocol/path.js';

/** The path of a value: `['destinations', 0, 'name']`. */
export type Keys = readonly (string | number)[];

export interface Place {
  readonly line: number;
  readonly column: number;
}

export interface Complaint {
  readonly expected: string;
  readonly received: string;
}

/** A mistake in a value. */
export interface Finding extends Complaint {
  readonly keys: Keys;
  /** True when the key is wrong, not its value. */
  readonly isOfKey?: boolean;
  /** The place of the mistake, where the path does not lead to it. */
  readonly place?: Place;
}

export const formatKeys = ([first, ...rest]: Keys): string =>
  first === undefined ? '' : formatPath('', [first, ...rest]).replace(/^\./, '');

/** Reads what `formatKeys` and the settings of a destination write. */
export const parseKeys = (path: string): Keys =>
  [...path.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|([^.[\]]+)/g)].map(([, index, quoted, name = '']) => {
    if (index !== undefined) return Number(index);
    return quoted === undefined ? name : String(JSON.parse(quoted));
  });

/** Writes the keys as one key of a map. */
export const keyOf = (keys: Keys): string => JSON.stringify(keys);

export function valueAt(value: unknown, keys: Keys): unknown {
  let at = value;
  for (const key of keys) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string | number, unknown>)[key];
  }
  return at;
}
