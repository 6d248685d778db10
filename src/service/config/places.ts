import type { Keys } from '../../base/options/key-path.js';
import { formatPath } from '../../protocol/path.js';

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

/** Writes the keys as one key of a map. */
export const keyOf = (keys: Keys): string => JSON.stringify(keys);
