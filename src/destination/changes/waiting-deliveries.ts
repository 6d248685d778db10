import { createHash } from 'node:crypto';
import type { StoredEvent } from '../../delivery/completion-rule.js';
import type { EventStore, QueueKey, QueuePosition } from '../../store/event-store.js';
import { cursorOf, eventKeyOf, queueKeyOf } from '../../store/queue-key.js';
import { type EndpointName, KnownWebhooks } from '../endpoints/known-webhooks.js';
import { type DeadLetter, eventOf } from './dead-letters.js';
import type { DeadLetterFilter } from './delivery-filter.js';
import { MeantDeliveries } from './meant-deliveries.js';

/** A filter of waiting deliveries. A delivery must match every field that is given. */
export type WaitingFilter = Omit<DeadLetterFilter, 'reason' | 'diedBefore'>;

/** A delivery that has not ended yet. */
export interface WaitingDelivery extends EndpointName, Pick<StoredEvent, 'id' | 'type' | 'acceptedAt'> {
  /** When its next attempt is due, in milliseconds since 1970. */
  due: number;
  /** The latest attempts, oldest first. */
  attempts: DeadLetter['attempts'];
}

/** The place where a delivery waits. */
export interface WaitingKey extends QueueKey {
  /** The key of the webhook, in the store. */
  readonly webhook: string;
  readonly position: QueuePosition;
}

const PAGE = 256;

/** A delivery only ever moves forwards in this order, so one that moves during the reading is not missed. */
const POSITIONS = ['behind', 'first', 'retry'] as const satisfies QueuePosition[];

/** Positions in which a delivery waits for no other. In this order, no message of a user precedes an earlier one. */
export const AT_HEAD = ['retry', 'first'] as const satisfies QueuePosition[];

/** Yields the waiting deliveries that match the filter, page by page: by webhook, and the earliest due first. */
export async function* waitingDeliveries(
  store: EventStore,
  filter: WaitingFilter,
): AsyncGenerator<WaitingDelivery, void, undefined> {
  const meant = new MeantDeliveries(filter, await KnownWebhooks.of(store));
  for await (const keys of waitingKeys(store, meant, undefined, PAGE)) {
    const events = await meant.read(store, keys);
    for (const [index, { webhook }] of keys.entries()) {
      const event = events[index];
      if (event === undefined) continue;
      const { id, type, acceptedAt } = event;
      for (const [key, { due, history: attempts }] of meant.waitingIn(event))
        if (key === webhook)
          yield { id, type, acceptedAt, ...meant.known.endpointOf(key), due: Math.floor(due), attempts };
    }
  }
}

/** Yields pages of the keys at which matching deliveries may wait, starting after `cursor`. */
export async function* waitingKeys(
  store: EventStore,
  meant: MeantDeliveries,
  cursor: string | undefined,
  size: number,
  positions: readonly WaitingPlace['position'][] = POSITIONS,
): AsyncGenerator<readonly WaitingKey[], void, undefined> {
  if (meant.id !== undefined) return yield* keysOfEvent(store, meant);
  const from = cursor === undefined ? undefined : placeOf(cursor);
  const webhooks = (await store.backlog()).map(({ url }) => url).filter((url) => meant.isAt(url));
  for (const queue of queuesFrom(webhooks, positions, from)) yield* keysIn(store, queue, size);
}

interface Queue extends Pick<WaitingKey, 'webhook' | 'position'> {
  readonly after: QueueKey | undefined;
}

/** Lists the queue that contains the place and all queues that come after it. */
function queuesFrom(
  webhooks: readonly string[],
  positions: readonly WaitingPlace['position'][],
  from: WaitingPlace | undefined,
): Queue[] {
  const queues = webhooks
    .map((webhook) => ({ webhook, place: hashOf(webhook) }))
    .sort((one, other) => (one.place < other.place ? -1 : 1))
    .flatMap(({ webhook, place }) => positions.map((position) => ({ webhook, place, position, after: undefined })));
  if (from === undefined) return queues;
  const at = queues.findIndex(({ place, position }) => place === from.place && position === from.position);
  if (at < 0) return queues.filter(({ place }) => place > from.place);
  return queues.slice(at).map((queue, index) => (index === 0 ? { ...queue, after: from.key } : queue));
}

async function* keysIn(
  store: EventStore,
  { webhook, position, after }: Queue,
  size: number,
): AsyncGenerator<readonly WaitingKey[], void, undefined> {
  for (let [last, isMore] = [after, true]; isMore; ) {
    const page: QueueKey[] = await store.waiting(webhook, position, last, size);
    if (page.length > 0) yield page.map((key) => ({ ...key, webhook, position }));
    last = page.at(-1);
    isMore = page.length === size;
  }
}

/** Writes a key as a cursor that a caller can keep. It contains a hash instead of the URL, because the URL may hold a secret. */
export const waitingCursorOf = ({ webhook, position, ...key }: WaitingKey): string =>
  `${hashOf(webhook)}.${position}.${cursorOf(key)}`;

export const isWaitingCursor = (text: string): boolean => placeOf(text) !== undefined;

interface WaitingPlace {
  readonly place: string;
  readonly position: (typeof POSITIONS)[number];
  readonly key: QueueKey;
}

function placeOf(cursor: string): WaitingPlace | undefined {
  const [place = '', given, text = ''] = cursor.split('.');
  const position = POSITIONS.find((each) => each === given);
  const key = queueKeyOf(text);
  return position === undefined || key === undefined ? undefined : { place, position, key };
}

const hashOf = (url: string): string => createHash('sha256').update(url).digest('hex').slice(0, 16);

async function* keysOfEvent(
  store: EventStore,
  meant: MeantDeliveries,
): AsyncGenerator<readonly WaitingKey[], void, undefined> {
  const event = meant.id === undefined ? undefined : await eventOf(store, meant.id);
  if (event === undefined) return;
  const key = eventKeyOf(store, event);
  const waiting = meant.waitingIn(event);
  if (waiting.length === 0) return;
  yield await Promise.all(
    waiting.map(async ([webhook, { due, phase }]): Promise<WaitingKey> => {
      const stage = phase === 'pending' ? 'first' : 'retry';
      return { ...key, at: due, webhook, position: (await store.isBehind(webhook, key.id)) ? 'behind' : stage };
    }),
  );
}
