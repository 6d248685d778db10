import type { ReceivedMessage } from '../../collector/received-message.js';
import type { Change, KeyValueStore } from '../../store/key-value-store.js';
import type { HeldRecord } from '../jobs/held-record.js';
import type { AudienceRecord, Sync } from './audience-record.js';
import { type Changed, changedBy } from './difference.js';
import { identifyOf } from './identify-of.js';
import { entryText, membersPrefix } from './keys.js';
import { type Step, stepsOf } from './sync-steps.js';

/** Forwards the messages of changes, each id once. Resolves when they are stored. */
export type Accept = (messages: readonly ReceivedMessage[]) => Promise<void>;

/** The end of a change: the record as it is now, and how many users the change concerned. */
export interface Applied {
  readonly record: AudienceRecord;
  readonly changed: Changed;
}

export interface ApplyOptions {
  readonly keyValues: KeyValueStore;
  readonly accept: Accept;
  /** The most users one step changes. */
  readonly stepSize: number;
  now(): number;
  /** Throws to prevent a further step. */
  assertOpen(): void;
}

/**
 * Applies a change that is wholly on the key-value store, from where it is to its end. Each step stores its messages first, then
 * the members together with the progress: a crash between the two makes the same messages again, with the same ids. The members
 * of one step are stored while the messages of the next are.
 */
export async function apply(options: ApplyOptions, held: HeldRecord<AudienceRecord>, sync: Sync): Promise<Applied> {
  const nextStep = await stepsOf(options, held.record, sync);
  let { record } = held;
  let writing = Promise.resolve();
  for (;;) {
    options.assertOpen();
    const step = await nextStep();
    await tell(options, held, sync, step);
    await writing;
    record = after(record, step);
    const next = step.isLast ? finished(record, options.now()) : record;
    writing = held.update(() => next, changesOf(record, step));
    // Its failure is thrown where it is awaited.
    writing.catch(() => undefined);
    if (!step.isLast) continue;
    await writing;
    return { record, changed: record.sync ?? sync };
  }
}

async function tell(
  { accept }: ApplyOptions,
  held: HeldRecord<AudienceRecord>,
  sync: Sync,
  { differences }: Step,
): Promise<void> {
  if (differences.length === 0) return;
  const messages = differences.map((difference) => identifyOf(held.record, sync, difference));
  // If another process has taken over, what was read may be wrong, and messages cannot be taken back.
  await held.confirm();
  await accept(messages);
}

function changesOf({ trait }: AudienceRecord, { differences }: Step): Change[] {
  const prefix = membersPrefix(trait);
  return differences.map(({ place, rest, json }) => ({
    key: prefix + place,
    value: json === undefined ? undefined : entryText({ json, rest }),
  }));
}

function after(record: AudienceRecord, { differences, cursor, applied }: Step): AudienceRecord {
  const { sync, members } = record;
  if (sync === undefined) return record;
  const { joined, changed, left } = changedBy(differences);
  return {
    ...record,
    members: members + joined - left,
    sync: {
      ...sync,
      cursor: cursor ?? sync.cursor,
      applied: sync.applied + applied,
      joined: sync.joined + joined,
      changed: sync.changed + changed,
      left: sync.left + left,
    },
  };
}

const finished = (record: AudienceRecord, now: number): AudienceRecord | undefined =>
  record.sync?.kind === 'remove' ? undefined : { ...record, syncedAt: now, sync: undefined };
