/** A user whose value becomes another. */
export interface Difference {
  readonly place: string;
  readonly rest: string;
  readonly userId: string;
  /** The value from now on, as canonical JSON; undefined for a user who has none any more. */
  readonly json: string | undefined;
  /** True when the user had a value before. */
  readonly isKnown: boolean;
}

/** The number of users in a step or a change, by what became of their value. */
export interface Changed {
  /** They have got a value. */
  readonly joined: number;
  /** They have got another value. */
  readonly changed: number;
  /** They have none any more. */
  readonly left: number;
}

export const NONE_CHANGED: Changed = { joined: 0, changed: 0, left: 0 };

export function changedBy(differences: readonly Difference[]): Changed {
  let [joined, changed, left] = [0, 0, 0];
  for (const { json, isKnown } of differences) {
    if (json === undefined) left++;
    else if (isKnown) changed++;
    else joined++;
  }
  return { joined, changed, left };
}
