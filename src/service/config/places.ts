import type { Keys } from '../../base/options/key-path.js';
import { formatPath } from '../../protocol/path.js';

export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

export interface Mismatch {
  readonly expected: string;
  readonly received: string;
}

/** A mistake in a value. */
export interface Finding extends Mismatch {
  readonly keys: Keys;
  /** True when the key is wrong, not its value. */
  readonly isOfKey?: boolean;
  /** The place of the mistake, if it is not the place that `keys` leads to. */
  readonly place?: TextPlace;
}

export const formatKeys = ([first, ...rest]: Keys): string =>
  first === undefined ? '' : formatPath('', [first, ...rest]).replace(/^\./, '');

/** Turns a path into a text that can be the key of a map. */
export const keyOf = (keys: Keys): string => JSON.stringify(keys);
