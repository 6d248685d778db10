import type { StoredEvent } from '../../delivery/completion-rule.js';
import type { Stage } from '../event-store.js';
import { laneUser } from '../queue-key.js';
import type { RedisCounts } from './redis-counts.js';
import type { DeliveryKeys, LineKeys, QueueEntry, RedisKeys } from './redis-keys.js';
import { type Read, textOf } from './stored-text.js';

/**
 * What similar changes have in common. Most deliveries end in the same way, so this is passed to the script once for all changes
 * whose kinds have the same `name`.
 */
export interface ReplacementKind {
  readonly name: string;
  readonly events: string;
  readonly counts: string;
  /** The line that the events wait in, if they have no records of their own. */
  readonly waitsIn: LineKeys | undefined;
  /** The record of the events as it was read, if all of them have the same record. */
  readonly was: string | undefined;
  /** True if the events are removed. */
  readonly isRemoval: boolean;
  /** The sorted sets that the events leave, except those of first attempts. */
  readonly leaves: readonly string[];
  /** The lines in which their first attempts no longer wait, whether claimed or not. */
  readonly begins: readonly LineKeys[];
  /** The sorted sets that the events enter, and the name of the line, unless the set is that of dead letters. */
  readonly enters: readonly { readonly set: string; readonly stage: Stage | 'dead'; readonly line?: string }[];
  /** The lanes that deliveries of ordered events enter or leave. */
  readonly lanes: readonly { readonly line: LineKeys; readonly isEntered: boolean }[];
  /** The fields of the counts that change. */
  readonly fields: readonly string[];
}

/** A change of one event from the state that was read. */
export interface Replacement {
  readonly kind: ReplacementKind;
  readonly id: string;
  /** The key of its message. A removed event gives up its reference to it. */
  readonly ref: string;
  /** The place with which its message was taken in, if a delivery of the event may be in a chunk. */
  readonly from?: number | undefined;
  /** The event's own record as it was read; undefined if it had none, or if the kind already contains it. */
  readonly was?: string | undefined;
  /** The new record; undefined to remove the event. */
  readonly is?: string | undefined;
  /** Its score in each set that it enters. */
  readonly at: readonly number[];
  /** Its score in each lane that it enters; any number for a lane that it leaves. */
  readonly places: readonly number[];
  /** The user whose lanes it is in, if it is ordered. */
  readonly user?: string | undefined;
  /** The change of each count. */
  readonly by: readonly number[];
}

/** @param next the new state; undefined to remove the event */
export function replacementOf(
  read: Read,
  next: StoredEvent | undefined,
  { keys, counts }: { readonly keys: RedisKeys; readonly counts: RedisCounts },
): Replacement {
  const { event, text, ref, from } = read;
  const delivery = keys.deliveryTo(Object.keys(event.urls));
  if (next === undefined && text === delivery.text) return removalOf(delivery, read);
  const before = keys.entriesOf(event);
  const after = next === undefined ? [] : keys.entriesOf(next);
  const isIn = (entries: readonly QueueEntry[]) => (entry: QueueEntry) =>
    entries.some(({ key, at }) => key === entry.key && at === entry.at);
  const left = before.filter((entry) => !isIn(after)(entry));
  const user = laneUser(event);
  const lanes = user === undefined ? [] : laneChangesOf(before, after, keys);
  const isByLane = ({ key }: QueueEntry): boolean =>
    lanes.some(({ line, isEntered }) => isEntered && line.first === key);
  const entered = after.filter((entry) => !isIn(before)(entry) && !isByLane(entry));
  const changes = counts.changes(event, next);
  const kind = {
    ...eventKeysOf(keys),
    was: undefined,
    waitsIn: text === undefined ? delivery.lines[0] : undefined,
    isRemoval: next === undefined,
    leaves: left.flatMap(({ key, waits }) => (waits?.stage === 'first' ? [] : key)),
    begins: left.flatMap(({ waits }) => (waits?.stage === 'first' ? keys.line(waits.url) : [])),
    enters: entered.map((entry) => enterOf(entry, keys)),
    lanes,
    fields: changes.map(([field]) => field),
  };
  return {
    kind: { ...kind, name: nameOf(kind) },
    id: event.id,
    ref,
    from,
    was: text,
    is: next && textOf(next, ref),
    at: entered.map(({ at }) => at),
    places: lanes.map(({ at }) => at),
    user,
    by: changes.map(([, change]) => change),
  };
}

/** Describes how most deliveries end: an untried event is removed, and its record contains nothing but its URLs. */
function removalOf(delivery: DeliveryKeys, { event: { id, bytes = 0 }, from }: Read): Replacement {
  return { kind: removalKindOf(delivery), id, ref: id, from, at: [], places: [], by: delivery.lines.map(() => -bytes) };
}

const removalKinds = new WeakMap<DeliveryKeys, ReplacementKind>();

function removalKindOf(delivery: DeliveryKeys): ReplacementKind {
  let kind = removalKinds.get(delivery);
  if (kind === undefined) {
    const { text, events, counts, lines } = delivery;
    const name = ['removal', events, ...lines.map(({ first }) => first)].join(' ');
    const none = { leaves: [], enters: [], lanes: [] };
    const [only] = text === undefined ? lines : [];
    kind = {
      ...none,
      name,
      events,
      counts,
      was: text,
      waitsIn: only,
      isRemoval: true,
      begins: lines,
      fields: lines.map(({ bytes }) => bytes),
    };
    removalKinds.set(delivery, kind);
  }
  return kind;
}

const eventKeysOf = ({ events, counts }: RedisKeys) => ({ events, counts });

/** Returns the changes of lanes. A delivery stays in its lane while it waits at the URL, for any attempt. */
function laneChangesOf(before: readonly QueueEntry[], after: readonly QueueEntry[], keys: RedisKeys) {
  const missingIn = (entries: readonly QueueEntry[], { waits }: QueueEntry): boolean =>
    waits !== undefined && !entries.some((entry) => entry.waits?.url === waits.url);
  const changesOf = (entries: readonly QueueEntry[], isEntered: boolean) =>
    entries.flatMap(({ at, waits }) => (waits === undefined ? [] : { line: keys.line(waits.url), isEntered, at }));
  return [
    ...changesOf(
      before.filter((entry) => missingIn(after, entry)),
      false,
    ),
    ...changesOf(
      after.filter((entry) => missingIn(before, entry)),
      true,
    ),
  ];
}

const enterOf = ({ key: set, waits }: QueueEntry, keys: RedisKeys): ReplacementKind['enters'][number] =>
  waits === undefined ? { set, stage: 'dead' } : { set, stage: waits.stage, line: keys.line(waits.url).name };

/** Returns the same name for kinds with the same keys. */
function nameOf({
  events,
  waitsIn,
  isRemoval,
  leaves,
  begins,
  enters,
  lanes,
  fields,
}: Omit<ReplacementKind, 'name'>): string {
  const lines = begins.map(({ first }) => first);
  const entered = enters.map(({ set }) => set);
  const moved = lanes.map(({ line, isEntered }) => [line.first, isEntered]);
  return JSON.stringify([events, waitsIn?.first, isRemoval, leaves, lines, entered, moved, fields]);
}
