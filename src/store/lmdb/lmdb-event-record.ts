import type { StoredEvent } from '../../delivery/completion-rule.js';
import type { DeliverableType } from '../../delivery/deliverable.js';
import { accept } from '../../delivery/state.js';

/** An event, and where its body is. */
export interface KeptEvent {
  readonly event: StoredEvent;
  /** The number of its body. Undefined where it was stored by an earlier version, which kept it under the event's id. */
  readonly body: number | undefined;
}

/** How an event lies on the disk before anything was tried: short, as nearly all of them never lie there in another way. */
type FreshRecord = readonly [
  body: number,
  type: DeliverableType,
  acceptedAt: number,
  bytes: number | null,
  source: string | null,
  trace: string | null,
  user: string | null,
  ...urls: number[],
];

type EventRecord = FreshRecord | readonly [body: number, event: StoredEvent] | StoredEvent;

/** @param numberOf gives nothing for a URL whose number is not there for good */
export function encodeEvent({ event, body }: KeptEvent, numberOf: (url: string) => number | undefined): string {
  return JSON.stringify(body === undefined ? event : (freshRecord(event, body, numberOf) ?? [body, event]));
}

export function decodeEvent(text: string, id: string, urlOf: (number: number) => string): KeptEvent {
  // Our own writing, read back.
  const record = JSON.parse(text) as EventRecord;
  if (!isList(record)) return { event: record, body: undefined };
  if (!isFresh(record)) return { event: record[1], body: record[0] };
  const [body, type, acceptedAt, bytes, source, trace, user, ...urls] = record;
  const state = accept(acceptedAt);
  const event = {
    id,
    type,
    acceptedAt,
    urls: Object.fromEntries(urls.map((number) => [urlOf(number), state])),
    isDead: false,
    ...(source !== null && { source }),
    ...(trace !== null && { trace }),
    ...(bytes !== null && { bytes }),
    ...(user !== null && { user }),
  };
  return { event, body };
}

const isList = (record: EventRecord): record is Exclude<EventRecord, StoredEvent> => Array.isArray(record);

const isFresh = (record: Exclude<EventRecord, StoredEvent>): record is FreshRecord => typeof record[1] === 'string';

function freshRecord(
  { type, acceptedAt, urls, isDead, bytes, source, trace, user }: StoredEvent,
  body: number,
  numberOf: (url: string) => number | undefined,
): FreshRecord | undefined {
  if (isDead) return undefined;
  const numbers: number[] = [];
  for (const url in urls) {
    const state = urls[url];
    const number = numberOf(url);
    if (number === undefined || state?.phase !== 'pending' || state.due !== acceptedAt || state.history.length > 0)
      return undefined;
    numbers.push(number);
  }
  return [body, type, acceptedAt, bytes ?? null, source ?? null, trace ?? null, user ?? null, ...numbers];
}
