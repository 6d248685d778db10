import { formatPath } from '../../protocol/path.js';

/** The way to a value: `['destinations', 0, 'name']`. */
export type Keys = readonly (string | number)[];

export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A mistake at the end of a way. */
export interface Finding {
  readonly keys: Keys;
  readonly expected: string;
  readonly received: string;
  /** Whether it is the key that is wrong, not what stands behind it. */
  readonly isOfKey?: boolean;
  /** Where it is not where the way leads. */
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

/** Keys as what a map can find. */
export const keyOf = (keys: Keys): string => JSON.stringify(keys);

/** What stands there, if the way leads anywhere. */
export function valueAt(value: unknown, keys: Keys): unknown {
  let at = value;
  for (const key of keys) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string | number, unknown>)[key];
  }
  return at;
}
