import { parseJson } from '../../base/text/decode.js';
import { RULES } from '../../delivery/attempt-outcome.js';
import { fullId } from '../../delivery/event-names.js';
import type { Attempt } from '../../delivery/state.js';
import type { ShownExchange } from '../../destination/sending/exchange.js';
import { shownUrl } from '../../destination/sending/shown-url.js';
import type { EventType } from '../../protocol/field-table.js';
import { isRecord } from '../../protocol/plain.js';
import { nextQueueKey } from '../../store/event-log.js';
import { deliveryOf } from './chunks.js';
import { type Candidate, usersOf } from './erased-users.js';
import { type Exchanged, isFirst } from './unwritten.js';

/** An attempt as it is stored. */
export interface KeptAttempt extends Partial<ShownExchange> {
  /** The id of the event in the destination's store. */
  readonly id: string;
  /** The key of the webhook in that store. */
  readonly key: string;
  readonly url: string;
  readonly webhookId?: string;
  readonly type?: EventType;
  readonly source?: string;
  /** In ms since 1970, as are the times below. */
  readonly acceptedAt: number;
  readonly phase: 'retrying' | 'delivered' | 'dead';
  readonly number: number;
  readonly nextAttemptAt?: number;
  readonly attempt: Attempt;
  readonly message: unknown;
}

/** An attempt that is encoded to be stored. */
export interface Encoded extends Candidate {
  /** The id of its event. */
  readonly id: string;
  /** When it began, in ms since 1970, as is `acceptedAt`. */
  readonly at: number;
  readonly acceptedAt: number;
  readonly text: string;
  /** The name of the delivery; undefined if this was its first attempt. */
  readonly again: string | undefined;
  /** The names by which a search may ask for it. */
  names(): readonly string[];
}

export function encode(exchanged: Exchanged): Encoded {
  const { id, key, attempt, source, entry, exchange } = exchanged;
  const { buffer, byteOffset, length } = exchange.body;
  const message = Buffer.from(buffer, byteOffset, length).toString();
  return {
    id,
    at: attempt.at,
    acceptedAt: acceptedAt(exchanged),
    text: textWith(exchanged, message),
    again: isFirst(exchanged) ? undefined : deliveryOf({ id, source, key }),
    // An event without an epoch is older than any deletion. Epoch 0 avoids a look-up while there are no deletions.
    epoch: entry && (entry.before.epoch ?? 0),
    source,
    users: () => usersOf(JSON.parse(message)),
    names: () => namesOf(JSON.parse(message)),
  };
}

/** Lists the names by which a search may ask for a message: its user, its event and its type. */
export function namesOf(message: unknown): string[] {
  if (!isRecord(message)) return [];
  const { userId, anonymousId, event, type } = message;
  return [userId, anonymousId, event, type].filter((name) => typeof name === 'string');
}

/** Encodes the attempt as JSON. The message is JSON already, so it is inserted unchanged. */
function textWith(exchanged: Exchanged, message: string): string {
  const { id, key, name, attempt, source, entry, exchange } = exchanged;
  const { answer: _, ...rest } = attempt;
  const nextAttemptAt = entry && nextQueueKey(entry)?.at;
  const before = entry?.before.urls[key];
  const record: Omit<KeptAttempt, 'message' | 'webhookId' | 'type' | 'source' | 'nextAttemptAt' | 'answer'> & object = {
    id,
    key,
    url: shownUrl(name.endpoint),
    ...{ webhookId: name.webhookId, type: entry?.before.type, source, nextAttemptAt },
    acceptedAt: acceptedAt(exchanged),
    phase: phaseOf(attempt, nextAttemptAt),
    number: before?.phase === 'retrying' ? before.attempts + 1 : 1,
    attempt: rest,
    ...exchange.shown(),
  };
  return `${JSON.stringify(record).slice(0, -1)},"message":${message}}`;
}

const acceptedAt = ({ entry, attempt }: Exchanged): number => entry?.before.acceptedAt ?? attempt.at;

const phaseOf = ({ result }: Attempt, nextAttemptAt: number | undefined): KeptAttempt['phase'] =>
  RULES[result].verdict === 'delivered' ? 'delivered' : nextAttemptAt === undefined ? 'dead' : 'retrying';

/** True if the name is the event's id, its id with its source before it, or the id of its message. */
export const isNamed = (attempt: KeptAttempt, name: string): boolean =>
  attempt.id === name ||
  fullId(attempt) === name ||
  (isRecord(attempt.message) && attempt.message['messageId'] === name);

/** Decodes the attempts of a chunk, oldest first, with null in place of erased ones. A damaged chunk has none. */
export const decodeAll = (chunk: string): (KeptAttempt | null)[] => (parseJson(chunk) ?? []) as (KeptAttempt | null)[];
