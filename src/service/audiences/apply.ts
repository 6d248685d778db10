import type { ReceivedMessage } from '../../collector/received-message.js';
import type { KeyValueStore } from '../../store/key-value-store.js';
import type { HeldRecord } from '../jobs/held-record.js';
import type { AudienceRecord } from './audience-record.js';
import { identifyOf } from './identify-of.js';
import { type SyncStep, stepsOf } from './sync-steps.js';

/** Forwards the messages of a change, each id once. Resolves when they are stored. */
export type Accept = (messages: readonly ReceivedMessage[]) => Promise<void>;

export interface ApplyOptions {
  readonly keyValues: KeyValueStore;
  /** Called with every `identify` that a change makes, up to 500 at a time. */
  readonly accept: Accept;
  /** The maximum number of users that one step changes, up to 500, because each of them has a message. */
  readonly stepSize: number;
  /** Throws to prevent a further step. */
  assertOpen(): void;
}

/**
 * Applies a change whose whole list is on the key-value store, from its current cursor to the end. Each step stores its messages
 * first, then the members together with the progress, so that a crash between the two makes the same messages again, with the
 * same ids.
 */
export async function apply(options: ApplyOptions, held: HeldRecord<AudienceRecord>): Promise<void> {
  const { trait, sync } = held.record;
  if (sync === undefined) return;
  for await (const step of stepsOf(options, trait, sync)) {
    options.assertOpen();
    const messages = step.differences.map((difference) => identifyOf(held.record, sync, difference));
    if (messages.length > 0) {
      // If another process has taken over, what was read may be outdated, and messages cannot be taken back.
      await held.confirm();
      await options.accept(messages);
    }
    const changes = step.differences.map(({ key, value }) => ({ key, value }));
    await held.update((record) => after(record, step), changes);
  }
}

function after(record: AudienceRecord, { differences, cursor, applied }: SyncStep): AudienceRecord {
  const { sync, members } = record;
  if (sync === undefined) return record;
  const left = differences.filter(({ json }) => json === undefined).length;
  const joined = differences.filter(({ isKnown }) => !isKnown).length;
  return {
    ...record,
    members: members + joined - left,
    sync: {
      ...sync,
      cursor,
      applied: sync.applied + applied,
      joined: sync.joined + joined,
      changed: sync.changed + differences.length - joined - left,
      left: sync.left + left,
    },
  };
}
