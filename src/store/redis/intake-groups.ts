import { laneUser } from '../queue-key.js';
import { RedisFailedError } from '../store-errors.js';
import type { TakeInAnswer } from './intake-script.js';
import type { Leases } from './leases.js';
import { PLACE_STEP } from './lua.js';
import type { IntakeOutcome, NewMessage } from './new-message.js';
import type { DeliveryKeys } from './redis-keys.js';
import { laneOf, type ScriptCall, setsOf } from './script-call.js';
import { encodeRecord, untriedText } from './stored-text.js';

/** Messages with the same deliveries and the same time of acceptance. */
export interface IntakeGroup {
  readonly deliveries: readonly DeliveryKeys[];
  readonly at: number;
  readonly isRemembered: boolean;
  readonly messages: NewMessage[];
  /** The key of the record, for a single message whose id is already used by another message or event. */
  readonly ref?: string;
}

export function groupsOf(messages: readonly NewMessage[]): IntakeGroup[] {
  const groups: IntakeGroup[] = [];
  for (const message of messages) {
    const deliveries = message.deliveries.map(({ store, event }) =>
      store.keys.deliveryTo(Object.keys(event.urls), laneUser(event) !== undefined),
    );
    const at = message.deliveries[0]?.event.acceptedAt ?? 0;
    const isRemembered = message.seen !== undefined;
    let group = groups.at(-1);
    if (group?.at !== at || group.isRemembered !== isRemembered || !areSame(group.deliveries, deliveries)) {
      group = { deliveries, at, isRemembered, messages: [] };
      groups.push(group);
    }
    group.messages.push(message);
  }
  return groups;
}

/** Room reserved for first attempts in one line. */
export interface Reserved {
  readonly leases: Leases;
  readonly count: number;
  /** The index of its delivery in the group. */
  readonly delivery: number;
}

/**
 * Describes a group to `TAKE_IN`, and reserves room for those of its deliveries that may be claimed at once. Keys and records are
 * given as the numbers that `ScriptCall` returned for them.
 */
export function describeGroup(group: IntakeGroup, script: ScriptCall) {
  const { deliveries, at, messages, ref } = group;
  const [first] = messages;
  const reserved = deliveries.flatMap(({ lines, isOrdered }, delivery) =>
    lines.flatMap(({ url }): Reserved[] => {
      const leases = first?.deliveries[delivery]?.store.leases(url);
      if (leases === undefined) return [];
      // Ordered events are claimed when they are ready. Messages with `ref` are rare, so they are not claimed early.
      const count = isOrdered || ref !== undefined ? 0 : leases.reserve(messages.length);
      return [{ leases, count, delivery }];
    }),
  );
  const [record = 0] = messages.map(({ body, deliveries: [delivery] }) =>
    script.record(delivery === undefined ? NO_RECORD : encodeRecord(delivery.event, body)),
  );
  const users = messages.map(({ deliveries: [delivery] }) => delivery?.event.user ?? '');
  const described = {
    at,
    /** The ids of the messages' events. Their records are stored under the same ids. */
    ids: messages.map(({ deliveries: [delivery] }) => delivery?.event.id ?? ''),
    /** The number of the first message's record; the other records follow it. */
    record,
    /** The keys that remember the messages' ids; omitted if the ids are not remembered. */
    seen: group.isRemembered ? messages.map(({ seen = '' }) => script.key(seen)) : undefined,
    /** For each destination, the hash with its events and the hash with its counts. */
    events: deliveries.map(({ events }) => script.key(events)),
    counts: deliveries.map(({ counts }) => script.key(counts)),
    /** For each destination, the record of each event; omitted if no event needs a record of its own at any destination. */
    texts: textsOf(group),
    lines: describeLines(deliveries, reserved, script),
    /** The user of each message, if any destination keeps each user's events in order. */
    users: deliveries.some(({ isOrdered }) => isOrdered) ? users : undefined,
    named: ref === undefined || first === undefined ? undefined : describeNamed(first, ref, script),
  };
  return { described, reserved };
}

function textsOf({ deliveries, ref }: IntakeGroup): (string | false)[] | undefined {
  if (ref !== undefined) {
    return deliveries.map(({ lines, isOrdered }) =>
      untriedText(
        lines.map(({ url }) => url),
        isOrdered,
        ref,
      ),
    );
  }
  return deliveries.some(({ text }) => text !== undefined) ? deliveries.map(({ text }) => text ?? false) : undefined;
}

/** Describes the lines that the deliveries enter, as lists of the same length, because Redis reads those much faster than objects. */
function describeLines(deliveries: readonly DeliveryKeys[], reserved: readonly Reserved[], script: ScriptCall) {
  const lines = deliveries.flatMap((delivery) => delivery.lines);
  const lanes = deliveries.flatMap(({ lines, isOrdered }) => lines.map((line) => isOrdered && laneOf(line, script)));
  return {
    /** The number of the destination that owns the line, counted from 1. */
    of: deliveries.flatMap((delivery, index) => delivery.lines.map(() => index + 1)),
    names: lines.map(({ name }) => name),
    first: lines.map(({ first }) => script.key(first)),
    timed: lines.map(({ timed }) => script.key(timed)),
    /** The digests that begin the fields of their counts. */
    digests: lines.map(({ digest }) => digest),
    /** The most deliveries to claim. */
    claims: reserved.map(({ count }) => count),
    /** The keys of the users' lanes, in lines of ordered events. */
    lanes: lanes.some(Boolean) ? lanes : undefined,
  };
}

/** Describes a message whose id is already used by another message or event. */
function describeNamed({ sourcedId, deliveries }: NewMessage, ref: string, script: ScriptCall) {
  const stores = deliveries.map(({ store }) => store);
  return {
    ref,
    source: deliveries[0]?.event.source,
    sourcedId,
    /** For each destination, the hash of its URLs, and the lines of all URLs that the process knows, which it has just read. */
    urls: stores.map(({ keys }) => script.key(keys.urls)),
    known: stores.map(({ keys }) => keys.lines.map((line) => setsOf(line, script))),
  };
}

const NO_RECORD = new Uint8Array();

/** Tells the stores what was claimed for them and what is ready, and releases the rest of the reserved room. */
export function settle(
  group: IntakeGroup,
  reserved: readonly Reserved[],
  { statuses, error, place = '0', claimed = [], isReady = [], newIds }: TakeInAnswer['groups'][number],
  leaseEnd: string,
): (IntakeOutcome | 'named')[] {
  const { deliveries, messages } = group;
  const taken = messages.filter((_, index) => statuses[index] === 't');
  for (const [index, { leases, count, delivery }] of reserved.entries()) {
    const held = taken.slice(0, claimed[index] ?? 0).flatMap((message) => message.deliveries[delivery] ?? []);
    const ids = held.map(({ event }) => event.id);
    leases.settle(count, ids, { place: Number(place), until: `-${leaseEnd}` });
    const text = deliveries[delivery]?.text;
    for (const [number, { store, event }] of held.entries()) {
      // An event with several URLs may wait in chunks of the others.
      const from = text === undefined ? undefined : Number(place) + number * PLACE_STEP;
      store.note({ event, text, ref: event.id, from });
    }
  }
  tellReady(group, taken, isReady, newIds);
  return messages.map((message, index) => {
    if (error !== undefined) return new RedisFailedError(new Error(error));
    if (statuses[index] === 'n') return 'named';
    if (statuses[index] !== 't') return 'known';
    return newIds?.map((id) => (id === false ? undefined : id)) ?? message.deliveries.map(({ event }) => event.id);
  });
}

function tellReady(
  { deliveries }: IntakeGroup,
  taken: readonly NewMessage[],
  isReady: readonly (readonly boolean[])[],
  newIds: TakeInAnswer['groups'][number]['newIds'],
): void {
  const entered = deliveries.flatMap(({ lines, isOrdered }, index) =>
    isOrdered && newIds?.[index] !== false ? lines.map(({ url }) => ({ url, index })) : [],
  );
  for (const [line, { url, index }] of entered.entries()) {
    for (const [number, message] of taken.entries()) {
      const { store, event } = message.deliveries[index] ?? {};
      if (isReady[line]?.[number] !== true || event === undefined) continue;
      store?.tellReady([{ url, key: { at: event.acceptedAt, id: newIds?.[index] || event.id } }]);
    }
  }
}

const areSame = (some: readonly DeliveryKeys[], others: readonly DeliveryKeys[]): boolean =>
  some.length === others.length && some.every((each, index) => each === others[index]);
