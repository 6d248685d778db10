import { RedisFailedError } from '../errors.js';
import type { TakeInAnswer, TakeInGroup, TakeInLines } from './intake-script.js';
import type { Leases } from './leases.js';
import type { NewMessage, Outcome } from './new-message.js';
import type { DeliveryKeys } from './redis-keys.js';
import type { ScriptCall } from './script-call.js';
import { encodeRecord } from './stored-text.js';

/** Messages with the same deliveries and the same time of acceptance. */
export interface Group {
  readonly deliveries: readonly DeliveryKeys[];
  readonly at: number;
  readonly isRemembered: boolean;
  readonly messages: NewMessage[];
}

export function groupsOf(messages: readonly NewMessage[]): Group[] {
  const groups: Group[] = [];
  for (const message of messages) {
    const deliveries = message.deliveries.map(({ store, event }) => store.keys.deliveryTo(Object.keys(event.urls)));
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

/** Describes a group to the script, and reserves room for those of its deliveries that may be claimed at once. */
export function describeGroup(
  { deliveries, at, messages }: Group,
  script: ScriptCall,
): { described: TakeInGroup; reserved: Reserved[] } {
  const reserved: Reserved[] = [];
  for (const [delivery, { store }] of (messages[0]?.deliveries ?? []).entries()) {
    for (const { url } of deliveries[delivery]?.lines ?? []) {
      const leases = store.leases(url);
      reserved.push({ leases, count: leases.reserve(messages.length), delivery });
    }
  }
  const described: TakeInGroup = {
    ...describeMessages(messages, script),
    at,
    events: deliveries.map(({ events }) => script.key(events)),
    counts: deliveries.map(({ counts }) => script.key(counts)),
    texts: deliveries.some(({ text }) => text !== undefined) ? deliveries.map(({ text }) => text ?? false) : undefined,
    lines: { ...describeLines(deliveries, script), claims: reserved.map(({ count }) => count) },
  };
  return { described, reserved };
}

export function describeLines(deliveries: readonly DeliveryKeys[], script: ScriptCall): TakeInLines {
  const lines = deliveries.flatMap((delivery) => delivery.lines);
  return {
    of: deliveries.flatMap((delivery, index) => delivery.lines.map(() => index + 1)),
    names: lines.map(({ name }) => name),
    first: lines.map(({ first }) => script.key(first)),
    timed: lines.map(({ timed }) => script.key(timed)),
    bytes: lines.map(({ bytes }) => bytes),
    claims: lines.map(() => 0),
  };
}

/** Describes the messages of one group. */
export function describeMessages(messages: readonly NewMessage[], script: ScriptCall) {
  const seen = messages.flatMap((message) => message.seen ?? []);
  const records = messages.map(({ body, deliveries: [first] }) =>
    script.record(first === undefined ? NO_RECORD : encodeRecord(first.event, body)),
  );
  return {
    ids: messages.map(({ deliveries: [first] }) => first?.event.id ?? ''),
    record: records[0] ?? 0,
    seen: seen.length === 0 ? undefined : seen.map((key) => script.key(key)),
  };
}

const NO_RECORD = new Uint8Array();

/** Tells the stores what was claimed for them, and releases the rest of the reserved room. */
export function settle(
  { deliveries, messages }: Group,
  reserved: readonly Reserved[],
  { statuses, error, place = '0', claimed = [] }: TakeInAnswer['groups'][number],
  leaseEnd: string,
): (Outcome | 'named')[] {
  const taken = messages.filter((_, index) => statuses[index] === 't');
  const noted = deliveries.map(() => 0);
  for (const [index, { leases, count, delivery }] of reserved.entries()) {
    const held = claimed[index] ?? 0;
    noted[delivery] = Math.max(noted[delivery] ?? 0, held);
    const ids = taken.slice(0, held).map((message) => message.deliveries[delivery]?.event.id ?? '');
    leases.settle(count, ids, { place: Number(place), until: `-${leaseEnd}` });
  }
  for (const [index, count] of noted.entries()) {
    for (const message of taken.slice(0, count)) {
      const { store, event } = message.deliveries[index] ?? {};
      if (event !== undefined) store?.note({ event, text: deliveries[index]?.text, ref: event.id });
    }
  }
  return messages.map((message, index) => {
    const status = statuses[index] ?? '';
    if (error !== undefined) return failure(error);
    if (status === 't') return message.deliveries.map(() => true);
    if (status === 'n') return 'named';
    // For a single delivery, leaving it out and refusing the message have the same effect.
    return status === 'x' && message.deliveries[0]?.mayBeKnown === true ? [false] : refusal(status);
  });
}

export const failure = (error: string): RedisFailedError => new RedisFailedError(new Error(error));

export const refusal = (status: string): Outcome => (status === 'k' ? 'known' : 'meets');

const areSame = (some: readonly DeliveryKeys[], others: readonly DeliveryKeys[]): boolean =>
  some.length === others.length && some.every((each, index) => each === others[index]);
