import type { ReceivedMessage } from '../../collector/received-message.js';
import type { Change, KeyValueStore } from '../../store/key-value-store.js';
import type { SyncResult } from '../api/answers.js';
import type { AudienceLock } from './audience-lock.js';
import { identifyOf } from './identify.js';
import { membersPrefix } from './keys.js';
import { type AudienceRecord, resultOf, type Sync } from './record.js';
import { type Step, stepsOf } from './steps.js';

/** Forwards the messages as if that source had sent them, each id once. Resolves when they are stored. */
export type Accept = (source: string, messages: readonly ReceivedMessage[]) => Promise<void>;

/** The source that memberships come from. */
const SOURCE = 'audiences';

export interface ApplyOptions {
  readonly keyValues: KeyValueStore;
  readonly accept: Accept;
  /** The most users one step changes. */
  readonly stepSize: number;
  now(): number;
  /** Throws when there is to be no further step. */
  assertOpen(): void;
}

/**
 * Does a change that is on the key-value store as a whole, from where it stands to its end. In each step the messages are stored first, then
 * the members together with how far it is: a crash between the two makes the same messages again, which have the same ids. While
 * the members of one step are stored, the messages of the next are.
 */
export async function apply(options: ApplyOptions, lock: AudienceLock, sync: Sync): Promise<SyncResult> {
  const nextStep = await stepsOf(options, lock.record, sync);
  let writing = Promise.resolve();
  for (;;) {
    options.assertOpen();
    const step = await nextStep();
    await tell(options, lock, sync, step);
    await writing;
    const [last, changes] = [after(lock.record, step), changesOf(lock.record, step)];
    writing = lock.update((record) => (step.isLast ? finished : same)(after(record, step), options.now()), changes);
    // Heard above, or below.
    writing.catch(() => undefined);
    if (!step.isLast) continue;
    await writing;
    return resultOf(last, last.sync ?? sync);
  }
}

const same = (record: AudienceRecord): AudienceRecord => record;

async function tell({ accept }: ApplyOptions, lock: AudienceLock, sync: Sync, { differences }: Step): Promise<void> {
  if (differences.length === 0) return;
  const messages = differences.map((difference) => identifyOf(lock.record, sync, difference));
  // What was read after somebody else took over could be anything, and what is said cannot be taken back.
  await lock.confirm();
  await accept(SOURCE, messages);
}

function changesOf({ trait }: AudienceRecord, { differences }: Step): Change[] {
  const prefix = membersPrefix(trait);
  return differences.map(({ place, rest, joins }) => ({ key: prefix + place, value: joins ? rest : undefined }));
}

function after(record: AudienceRecord, { differences, cursor, applied }: Step): AudienceRecord {
  const { sync, members } = record;
  if (sync === undefined) return record;
  const joined = differences.filter(({ joins }) => joins).length;
  const left = differences.length - joined;
  return {
    ...record,
    members: members + joined - left,
    sync: {
      ...sync,
      cursor: cursor ?? sync.cursor,
      applied: sync.applied + applied,
      joined: sync.joined + joined,
      left: sync.left + left,
    },
  };
}

const finished = (record: AudienceRecord, now: number): AudienceRecord | undefined =>
  record.sync?.kind === 'remove' ? undefined : { ...record, syncedAt: now, sync: undefined };
