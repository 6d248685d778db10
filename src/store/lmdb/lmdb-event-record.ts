import type { StoredEvent } from '../../delivery/completion-rule.js';
import { isUntried } from '../../delivery/state.js';
import type { EventType } from '../../protocol/field-table.js';
import { PLACES_A_MS } from '../queue-key.js';
import { stateIn, tupleOf, type UrlTuple } from '../state-tuple.js';

/** An event, and where its body is. */
export interface KeptEvent {
  readonly event: StoredEvent;
  /** The number of its body. */
  readonly body: number;
}

/** An event on the disk. URLs have numbers there. */
type EventRecord = readonly [
  body: number,
  type: EventType,
  acceptedAt: number,
  /** The distance of its place in line from that, in steps of `PLACES_A_MS`. */
  behind: number,
  bytes: number | null,
  source: string | null,
  trace: string | null,
  user: string | null,
  marks: number,
  epoch: number,
  ...urls: UrlTuple<number>[],
];

const IS_ORDERED = 1;
const IS_DEAD = 2;

/** The numbers of the URLs of a destination. */
interface UrlNumbers {
  /** Returns the number of the URL, which it gets if it has none. */
  register(url: string): number;
  urlOf(number: number): string;
}

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
    trace ?? null,
    user ?? null,
    (isOrdered ? IS_ORDERED : 0) + (isDead ? IS_DEAD : 0),
    epoch,
    ...Object.entries(urls).map(([url, state]) =>
      isUntried(state, place) ? known.register(url) : tupleOf(known.register(url), state, acceptedAt, place),
    ),
  ];
  return JSON.stringify(record);
}

export function decodeEvent(text: string, id: string, known: UrlNumbers): KeptEvent {
  // Our own writing, read back.
  const record = JSON.parse(text) as EventRecord;
  const [body, type, acceptedAt, behind, bytes, source, trace, user, marks, epoch, ...tuples] = record;
  const states = tuples.map((tuple) => stateIn(tuple, acceptedAt, acceptedAt + behind / PLACES_A_MS));
  const event = {
    id,
    type,
    acceptedAt,
    urls: Object.fromEntries(states.map(([number, state]) => [known.urlOf(number), state])),
    isDead: (marks & IS_DEAD) !== 0,
    ...(source !== null && { source }),
    ...(trace !== null && { trace }),
    ...(bytes !== null && { bytes }),
    ...(user !== null && { user }),
    ...((marks & IS_ORDERED) !== 0 && { isOrdered: true as const }),
    ...(epoch > 0 && { epoch }),
  };
  return { event, body };
}

/** Returns the place in line of an event to which nothing happened yet: it is the same at each URL. */
function placeIn({ urls, acceptedAt }: StoredEvent): number {
  const [state] = Object.values(urls);
  return state?.phase === 'pending' ? state.due : acceptedAt;
}
