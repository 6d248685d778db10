import type { KeyValueStore } from '../../store/key-value-store.js';
import type { AudienceRecord, Sync } from './audience-record.js';
import type { Difference } from './difference.js';
import { membersPrefix, readEntry, stagedPrefix, userIdOf } from './keys.js';
import { MergedRuns } from './merged-runs.js';
import { Pager } from './pager.js';

/** A step compares at most so many users for each that it may change. */
const LOOKED_AT = 40;

/** A part of a change, applied as a whole or not at all. */
export interface Step {
  readonly differences: readonly Difference[];
  /** The place that it reaches. */
  readonly cursor: string | undefined;
  /** The number of given ids that it has compared. */
  readonly applied: number;
  readonly isLast: boolean;
}

/** Continues a change from where it is: each call makes the next step, and the steps are applied in this order. */
export async function stepsOf(
  { keyValues, stepSize }: { keyValues: KeyValueStore; stepSize: number },
  { trait }: AudienceRecord,
  sync: Sync,
): Promise<() => Promise<Step>> {
  const members = membersPrefix(trait);
  const staged = await MergedRuns.open(keyValues, stagedPrefix(trait, sync.id), sync.cursor);
  if (sync.kind === 'change') return () => changeStep(keyValues, members, staged, stepSize);
  const present = new Pager(keyValues, members, sync.cursor, 2 * stepSize);
  return () => replaceStep(present, staged, stepSize);
}

/** Compares two lists in order. */
async function replaceStep(present: Pager, staged: MergedRuns, stepSize: number): Promise<Step> {
  const differences: Difference[] = [];
  let [lookedAt, applied] = [0, 0];
  let cursor: string | undefined;
  for (; differences.length < stepSize && lookedAt < LOOKED_AT * stepSize; lookedAt++) {
    // An await that has nothing to wait for would still cost time, a million times.
    if (!present.isLoaded) await present.load();
    if (!staged.isLoaded) await staged.load();
    const place = firstOf(present.place, staged.place);
    if (place === undefined) return { differences, cursor, applied, isLast: true };
    if (staged.place === place) applied++;
    const difference = differenceAt(place, present, staged);
    if (difference !== undefined) differences.push(difference);
    cursor = place;
  }
  return { differences, cursor, applied, isLast: false };
}

/** Compares what both lists say of a user, and moves both past the place. */
function differenceAt(place: string, present: Pager, staged: MergedRuns): Difference | undefined {
  const { value: presentText } = present;
  const { value: stagedText } = staged;
  const before = present.skipIf(place) ? presentText : undefined;
  return differenceOf(place, before, staged.skipIf(place) ? stagedText : undefined);
}

/** Compares the old and the new entry of a user; undefined when both are equal. */
function differenceOf(place: string, before: string | undefined, after: string | undefined): Difference | undefined {
  const text = after ?? before;
  if (text === undefined) return undefined;
  const { rest } = readEntry(text);
  const json = jsonOf(after);
  const was = jsonOf(before);
  if (json === was) return undefined;
  return { place, rest, userId: userIdOf({ place, rest }), json, isKnown: was !== undefined };
}

const jsonOf = (entry: string | undefined): string | undefined =>
  entry === undefined ? undefined : readEntry(entry).json;

const firstOf = (a: string | undefined, b: string | undefined): string | undefined =>
  a === undefined || (b !== undefined && b < a) ? b : a;

/** Finds the users for whom the change names another value than they have. */
async function changeStep(
  keyValues: KeyValueStore,
  members: string,
  staged: MergedRuns,
  stepSize: number,
): Promise<Step> {
  const asked: { place: string; text: string }[] = [];
  while (asked.length < stepSize) {
    if (!staged.isLoaded) await staged.load();
    const { place, value: text } = staged;
    if (place === undefined) break;
    asked.push({ place, text });
    staged.skipIf(place);
  }
  const found = asked.length === 0 ? [] : await keyValues.get(asked.map(({ place }) => members + place));
  const differences = asked.map(({ place, text }, index) => differenceOf(place, found[index], text));
  return {
    differences: differences.filter((difference) => difference !== undefined),
    cursor: asked.at(-1)?.place,
    applied: asked.length,
    isLast: asked.length < stepSize,
  };
}
