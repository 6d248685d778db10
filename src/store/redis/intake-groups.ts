import type { Leases } from './leases.js';
import type { NewMessage, Outcome } from './new-message.js';
import type { ScriptArgument } from './redis-client.js';
import type { Way } from './redis-keys.js';
import { encodeRecord } from './stored-text.js';

/** Messages with the same deliveries and the same time of acceptance. */
export interface Group {
  readonly ways: readonly Way[];
  readonly at: number;
  readonly isRemembered: boolean;
  readonly messages: NewMessage[];
}

export function groupsOf(messages: readonly NewMessage[]): Group[] {
  const groups: Group[] = [];
  for (const message of messages) {
    const ways = message.deliveries.map(({ store, event }) => store.keys.wayTo(Object.keys(event.urls)));
    const at = message.deliveries[0]?.event.acceptedAt ?? 0;
    const isRemembered = message.seen !== undefined;
    let group = groups.at(-1);
    if (group === undefined || group.at !== at || group.isRemembered !== isRemembered || !areSame(group.ways, ways)) {
      group = { ways, at, isRemembered, messages: [] };
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
  /** The index of its way in the group. */
  readonly way: number;
}

export function addGroup(
  keys: string[],
  args: ScriptArgument[],
  { ways, at, isRemembered, messages }: Group,
): Reserved[] {
  const reserved: Reserved[] = [];
  args.push(ways.length);
  for (const [place, { store }] of (messages[0]?.deliveries ?? []).entries()) {
    const way = ways[place];
    if (way === undefined) continue;
    const { events, counts, text, lines } = way;
    keys.push(events, counts);
    args.push(text ?? '', lines.length);
    for (const { url, name, first, timed, bytes } of lines) {
      const leases = store.leases(url);
      const count = leases.reserve(messages.length);
      reserved.push({ leases, count, way: place });
      keys.push(first, timed);
      args.push(name, bytes, count);
    }
  }
  args.push(messages.length, at, isRemembered ? 1 : 0);
  for (const { seen, body, deliveries } of messages) {
    const event = deliveries[0]?.event;
    if (seen !== undefined) keys.push(seen);
    args.push(event === undefined ? '' : encodeRecord(event, body), event?.id ?? '');
  }
  return reserved;
}

/**
 * Removes the group's part from the front of the answers. It tells the stores what was claimed for them and releases
 * the rest of the reserved room.
 */
export function settle(
  group: Group,
  reserved: readonly Reserved[],
  answers: (string | number)[],
  until: string,
): (Outcome | 'named')[] {
  const { ways, messages } = group;
  const statuses = [...String(answers.shift())];
  const place = Number(answers.shift());
  const taken = messages.filter((_, index) => statuses[index] === 't');
  const noted = ways.map(() => 0);
  for (const { leases, count, way } of reserved) {
    const claimed = Number(answers.shift());
    noted[way] = Math.max(noted[way] ?? 0, claimed);
    const ids = taken.slice(0, claimed).map(({ deliveries }) => deliveries[way]?.event.id ?? '');
    leases.settle(count, ids, { place, until: `-${until}` });
  }
  for (const [place, count] of noted.entries()) {
    const text = ways[place]?.text;
    for (const { deliveries } of taken.slice(0, count)) {
      const delivery = deliveries[place];
      delivery?.store.note({ event: delivery.event, text, ref: delivery.event.id });
    }
  }
  return messages.map(({ deliveries }, index) => {
    const status = statuses[index] ?? '';
    if (status === 't') return deliveries.map(() => true);
    if (status === 'n') return 'named';
    return status === 'x' && deliveries[0]?.isLoose === true ? [false] : refusal(status);
  });
}

export const refusal = (status: string): Outcome => (status === 'k' ? 'known' : 'meets');

const areSame = (ways: readonly Way[], others: readonly Way[]): boolean =>
  ways.length === others.length && ways.every((way, index) => way === others[index]);
