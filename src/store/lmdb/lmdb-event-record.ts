import type { StoredEvent } from '../../delivery/completion-rule.js';
import type { DeliverableType } from '../../delivery/deliverable.js';
import { accept } from '../../delivery/state.js';
import { PLACES_A_MS } from '../queue-key.js';
import type { LmdbUrls } from './lmdb-lines.js';

/** An event, and where its body is. */
export interface KeptEvent {
  readonly event: StoredEvent;
  /** The number of its body. */
  readonly body: number;
}

/** An event on the disk before anything was tried. It is short, because nearly all events never have another record. */
type FreshRecord = readonly [
  body: number,
  type: DeliverableType,
  acceptedAt: number,
  /** The distance of its place in line from that, in steps of `PLACES_A_MS`. */
  behind: number,
  bytes: number | null,
  source: string | null,
  trace: string | null,
  user: string | null,
  isOrdered: 0 | 1,
  epoch: number,
  ...urls: number[],
];

type EventRecord = FreshRecord | readonly [body: number, event: StoredEvent];

type UrlNumbers = Pick<LmdbUrls, 'settledNumberOf' | 'urlOf'>;

export function encodeEvent({ event, body }: KeptEvent, known: UrlNumbers): string {
  return JSON.stringify(freshRecord(event, body, known) ?? [body, event]);
}

export function decodeEvent(text: string, id: string, known: UrlNumbers): KeptEvent {
  // Our own writing, read back.
  const record = JSON.parse(text) as EventRecord;
  if (!isFresh(record)) return { event: record[1], body: record[0] };
  const [body, type, acceptedAt, behind, bytes, source, trace, user, isOrdered, epoch, ...urls] = record;
  const state = accept(acceptedAt + behind / PLACES_A_MS);
  const event = {
    id,
    type,
    acceptedAt,
    urls: Object.fromEntries(urls.map((number) => [known.urlOf(number), state])),
    isDead: false,
    ...(source !== null && { source }),
    ...(trace !== null && { trace }),
    ...(bytes !== null && { bytes }),
    ...(user !== null && { user }),
    ...(isOrdered === 1 && { isOrdered: true as const }),
    ...(epoch > 0 && { epoch }),
  };
  return { event, body };
}

const isFresh = (record: EventRecord): record is FreshRecord => typeof record[1] === 'string';

function freshRecord(
  { type, acceptedAt, urls, isDead, bytes, source, trace, user, isOrdered, epoch = 0 }: StoredEvent,
  body: number,
  known: UrlNumbers,
): FreshRecord | undefined {
  if (isDead) return undefined;
  const numbers: number[] = [];
  const due = placeIn(urls) ?? acceptedAt;
  const behind = (due - acceptedAt) * PLACES_A_MS;
  if (!Number.isInteger(behind)) return undefined;
  for (const url in urls) {
    const state = urls[url];
    const number = known.settledNumberOf(url);
    if (number === undefined || state?.phase !== 'pending' || state.due !== due) return undefined;
    if (state.isReplay || state.history.length > 0) return undefined;
    numbers.push(number);
  }
  return [
    body,
    type,
    acceptedAt,
    behind,
    bytes ?? null,
    source ?? null,
    trace ?? null,
    user ?? null,
    isOrdered ? 1 : 0,
    epoch,
    ...numbers,
  ];
}

/** Returns the place in line, the same at each URL, of an event to which nothing happened yet. */
function placeIn(urls: StoredEvent['urls']): number | undefined {
  const [state] = Object.values(urls);
  return state?.phase === 'pending' ? state.due : undefined;
}
