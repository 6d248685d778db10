import { parseJson } from '../../base/text/decode.js';
import type { MessageTypeName } from '../../protocol/calls.js';

/** How many messages of one type and event were received, and how many of these were blocked. */
export interface EventCount {
  readonly type: MessageTypeName;
  /** The name of a track event; empty for the other types. */
  readonly event: string;
  received: number;
  blocked: number;
}

/** The maximum number of events in a table. The rest are counted together, which bounds the store. */
const MOST_EVENTS = 1_000;
const OTHER_EVENTS = '(other)';

/** Longer names are cut to this many UTF-16 code units. */
const LONGEST_EVENT = 80;

/** Shortens the name of an event and makes it well-formed, as the store requires. */
export function eventName(event: string): string {
  const name = event.length > LONGEST_EVENT ? `${event.slice(0, LONGEST_EVENT - 1)}…` : event;
  return name.replaceAll(/\p{Surrogate}/gu, '\ufffd');
}

/** Counts the messages of a source in one hour by type and event. */
export class EventTable {
  readonly #rows = new Map<string, EventCount>();

  count(type: MessageTypeName, event: string, isBlocked: boolean): void {
    const row = this.#rowOf(type, eventName(event));
    row.received++;
    if (isBlocked) row.blocked++;
  }

  add(text: string): void {
    // Only `encode` writes such texts. A damaged one counts nothing.
    const rows = (parseJson(text) ?? []) as [MessageTypeName, string, number, number][];
    for (const [type, event, received, blocked] of rows) {
      const row = this.#rowOf(type, event);
      row.received += received;
      row.blocked += blocked;
    }
  }

  encode(): string {
    return JSON.stringify(
      Array.from(this.#rows.values(), ({ type, event, received, blocked }) => [type, event, received, blocked]),
    );
  }

  /** Returns the counts ordered by type and event. */
  counts(): EventCount[] {
    const keys = [...this.#rows.keys()].sort();
    return keys.flatMap((key) => this.#rows.get(key) ?? []);
  }

  #rowOf(type: MessageTypeName, event: string): EventCount {
    const key = `${type}/${event}`;
    const found = this.#rows.get(key);
    if (found !== undefined) return found;
    const isFull = this.#rows.size >= MOST_EVENTS && event !== '' && event !== OTHER_EVENTS;
    if (isFull) return this.#rowOf(type, OTHER_EVENTS);
    const row = { type, event, received: 0, blocked: 0 };
    this.#rows.set(key, row);
    return row;
  }
}
