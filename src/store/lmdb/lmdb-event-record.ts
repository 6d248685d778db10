import type { StoredEvent } from '../../delivery/completion-rule.js';
import { accept, isUntried, type StoredState } from '../../delivery/state.js';
import type { EventType } from '../../protocol/field-table.js';
import { PLACES_A_MS } from '../queue-key.js';
import { stateIn, tupleOf, type UrlTuple } from '../state-tuple.js';

/** An event with the number of its body. */
export interface KeptEvent {
  readonly event: StoredEvent;
  /** The number of its body. */
  readonly body: number;
}

/** The form of an event on the disk, in which URLs are replaced by numbers. */
type EventRecord = readonly [
  body: number,
  type: EventType,
  acceptedAt: number,
  /** The distance of its place in line from `acceptedAt`, in steps of `PLACES_A_MS`. */
  behind: number,
  bytes: number | null,
  source: string | null,
  user: string | null,
  marks: number,
  epoch: number,
  /** Begins with the trace, if there is one. */
  ...urls: (UrlTuple<number> | string)[],
];

const IS_ORDERED = 1;
const IS_DEAD = 2;

/** Translates between the URLs of a destination and their numbers. */
interface UrlNumbers {
  /** Returns the number of the URL, assigning one if it has none. */
  register(url: string): number;
  urlOf(number: number): string;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

export function encodeEvent({ event, body }: KeptEvent, known: UrlNumbers): string {
  const { type, acceptedAt, urls, isDead, bytes, source, trace, user, isOrdered, epoch = 0 } = event;
  const place = placeIn(event);
  const record: EventRecord = [
    body,
    type,
    acceptedAt,
    (place - acceptedAt) * PLACES_A_MS,
    bytes ?? null,
    source ?? null,
    user ?? null,
    (isOrdered ? IS_ORDERED : 0) + (isDead ? IS_DEAD : 0),
    epoch,
    ...(trace === undefined ? [] : [trace]),
    ...Object.entries(urls).map(([url, state]) =>
      isUntried(state, place) ? known.register(url) : tupleOf(known.register(url), state, acceptedAt, place),
    ),
  ];
  return JSON.stringify(record);
}

export function decodeEvent(text: string, id: string, known: UrlNumbers): KeptEvent {
  // This module wrote the text, so its type is known.
  const record = JSON.parse(text) as EventRecord;
  const [body, type, acceptedAt, behind, bytes, source, user, marks, epoch, ...parts] = record;
  const place = acceptedAt + behind / PLACES_A_MS;
  const urls: Record<string, StoredState> = {};
  // Every attempt reads its event, and absent fields cost less when they are added one by one.
  const isDead = (marks & IS_DEAD) !== 0;
  const event: Writable<StoredEvent> = { id, type, acceptedAt, urls, isDead };
  for (const part of parts) {
    if (typeof part === 'string') event.trace = part;
    else {
      const [number, state] = typeof part === 'number' ? [part, accept(place)] : stateIn(part, acceptedAt);
      urls[known.urlOf(number)] = state;
    }
  }
  if (source !== null) event.source = source;
  if (bytes !== null) event.bytes = bytes;
  if (user !== null) event.user = user;
  if ((marks & IS_ORDERED) !== 0) event.isOrdered = true;
  if (epoch > 0) event.epoch = epoch;
  return { event, body };
}

/** Returns the place in line of an event that is untried, which is the same at each URL. */
function placeIn({ urls, acceptedAt }: StoredEvent): number {
  const [state] = Object.values(urls);
  return state?.phase === 'pending' ? state.due : acceptedAt;
}

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;

/** Stands before the bytes of a UUID. No other id begins with it, because UTF-8 never has this byte. */
const UUID_MARK = 0xff;
const UUID_BYTES = 16;

/** Encodes an id for the key of an event: a UUID in lower case as a mark and its 16 bytes, any other id in UTF-8. */
export function encodeId(id: string): Buffer {
  if (!UUID.test(id)) return Buffer.from(id);
  const bytes = Buffer.allocUnsafe(UUID_BYTES + 1);
  bytes[0] = UUID_MARK;
  bytes.write(id.slice(0, 8) + id.slice(9, 13) + id.slice(14, 18) + id.slice(19, 23) + id.slice(24), 1, 'hex');
  return bytes;
}
