import { type Change, type KeyValueStore, pagesOf } from '../../store/key-value-store.js';
import type { Sync } from './audience-record.js';
import type { Listed } from './given-users.js';
import { listedAt, membersPrefix, stagedPrefix } from './keys.js';

/** A user whose value changes: the new value, undefined for none, and the change to the member's entry. */
export interface MemberDifference extends Listed, Change {
  /** True if the user had a value before. */
  readonly isKnown: boolean;
}

/** A part of a change that is applied as a whole or not at all. */
export interface SyncStep {
  readonly differences: readonly MemberDifference[];
  /** The last key that the step has compared. */
  readonly cursor: string;
  /** The number of given ids that the step has compared. */
  readonly applied: number;
}

/** A step ends after about this many compared ids, so that the progress is visible even if nothing is different. */
const MOST_APPLIED = 20_000;

/** Yields the steps of a change from its current cursor, to be applied in this order. Each changes at most `stepSize` users. */
export async function* stepsOf(
  { keyValues, stepSize }: { keyValues: KeyValueStore; stepSize: number },
  trait: string,
  sync: Sync,
): AsyncGenerator<SyncStep, void, undefined> {
  const pageSize = Math.ceil(stepSize / 2);
  let step: SyncStep | undefined;
  for await (const page of comparedPages(keyValues, trait, sync, pageSize)) {
    const differences: MemberDifference[] = [...(step?.differences ?? []), ...page.differences];
    step = { differences, cursor: page.cursor, applied: page.applied + (step?.applied ?? 0) };
    if (differences.length + pageSize <= stepSize && step.applied < MOST_APPLIED) continue;
    yield step;
    step = undefined;
  }
  if (step !== undefined) yield step;
}

/**
 * Compares the members with the list. It first goes through the members, who leave if they are not on the list, and then through
 * the list. A change that is not a full list leaves members that it does not name as they are.
 */
async function* comparedPages(
  keyValues: KeyValueStore,
  trait: string,
  { id, kind, cursor }: Sync,
  pageSize: number,
): AsyncGenerator<SyncStep, void, undefined> {
  const [members, staged] = [membersPrefix(trait), stagedPrefix(trait, id)];
  const arePassed = kind === 'change' || cursor?.startsWith(staged);
  for (const prefix of arePassed ? [staged] : [members, staged]) {
    const from = cursor?.startsWith(prefix) ? cursor : undefined;
    for await (const page of pagesOf(keyValues, prefix, from, pageSize)) {
      const places = page.map(({ key }) => key.slice(prefix.length));
      const others = await keyValues.get(places.map((place) => (prefix === staged ? members : staged) + place));
      const differences = page.map(({ value }, index) => {
        const [place = '', other] = [places[index], others[index]];
        if (prefix === staged) return differenceAt(members, place, other, value);
        return other === undefined ? differenceAt(members, place, value, undefined) : undefined;
      });
      yield {
        differences: differences.filter((difference) => difference !== undefined),
        cursor: page.at(-1)?.key ?? '',
        applied: prefix === staged ? page.length : 0,
      };
    }
  }
}

/** Compares the old and the new entry of a user. Returns undefined if they are equal. */
function differenceAt(members: string, place: string, before?: string, after?: string): MemberDifference | undefined {
  if (before === after) return undefined;
  const { userId, json: found } = listedAt(place, after ?? before ?? '');
  const json = after === undefined ? undefined : found;
  const isKnown = before !== undefined;
  if (json === undefined && !isKnown) return undefined;
  return { userId, json, key: members + place, value: json === undefined ? undefined : after, isKnown };
}
