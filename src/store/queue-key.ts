import type { StoredEvent } from '../delivery/completion-rule.js';
import { isWaiting, type Waiting } from '../delivery/state.js';
import type { EventKey, EventStore, OfUser, QueueKey, Stage } from './event-store.js';

const MS_BYTES = 6;
const FRACTION_BYTES = 2;
const AT_BYTES = MS_BYTES + FRACTION_BYTES;

/** The number of places that an encoded key can hold per millisecond, which is more than `Places` assigns. */
const FRACTIONS = 2 ** 16;

/**
 * Encodes a queue key for an ordered index: a prefix that names the queue, the milliseconds in 6 bytes, their fraction in 2, and
 * the id in UTF-8. The order of the bytes is the order of queue keys.
 */
export function encodeQueueKey(prefix: Uint8Array, { at, id }: QueueKey): Buffer {
  const key = Buffer.allocUnsafe(prefix.length + AT_BYTES + Buffer.byteLength(id));
  key.set(prefix);
  const ms = Math.floor(at);
  key.writeUIntBE(ms, prefix.length, MS_BYTES);
  key.writeUIntBE((at - ms) * FRACTIONS, prefix.length + MS_BYTES, FRACTION_BYTES);
  key.write(id, prefix.length + AT_BYTES);
  return key;
}

export function decodeQueueKey(prefixLength: number, key: Uint8Array): QueueKey {
  const bytes = Buffer.from(key.buffer, key.byteOffset, key.byteLength);
  const fraction = bytes.readUIntBE(prefixLength + MS_BYTES, FRACTION_BYTES) / FRACTIONS;
  return {
    at: bytes.readUIntBE(prefixLength, MS_BYTES) + fraction,
    id: bytes.toString('utf8', prefixLength + AT_BYTES),
  };
}

/** Returns a key after every key with that prefix, even of the last possible time, because UTF-8 never has this byte. */
export const endOf = (prefix: Uint8Array): Buffer => Buffer.concat([prefix, Buffer.alloc(AT_BYTES + 1, 0xff)]);

/** Returns the first key after this one. */
export const successor = (key: Uint8Array): Buffer => Buffer.concat([key, Buffer.of(0)]);

/** The first time that does not fit into the six bytes of a queue key. */
const END_OF_TIME = 2 ** 48;

/** Returns a queue key as text that a caller can keep. */
export const cursorOf = ({ at, id }: QueueKey): string => Buffer.from(`${at} ${id}`).toString('base64url');

/** Reads a text written by `cursorOf`. Returns undefined for any other text. */
export function queueKeyOf(cursor: string): QueueKey | undefined {
  const [, at, id] = /^(\d{1,15}(?:\.\d{1,12})?) (.+)$/s.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  return id !== undefined && Number(at) < END_OF_TIME ? { at: Number(at), id } : undefined;
}

/** The number of places in a millisecond. Each place is a number that JSON and a double represent exactly. */
export const PLACES_A_MS = 1_024;

/**
 * Assigns places in line: the time, with a fraction that numbers the places of the same millisecond. A place is always after the
 * one before it, even if the clock was set back.
 */
export class Places {
  #last: number;

  /** @param last the last place that is already taken */
  constructor(last = 0) {
    this.#last = last;
  }

  /** @param now milliseconds since 1970, a whole number */
  next(now: number): number {
    this.#last = Math.max(now, this.#last + 1 / PLACES_A_MS);
    return this.#last;
  }
}

/** Compares queue keys. Every store and every queue uses this order. */
export function compareQueueKeys(a: QueueKey, b: QueueKey): number {
  if (a.at !== b.at) return a.at - b.at;
  if (a.id === b.id) return 0;
  // Without surrogates, the order of a string's units equals that of its UTF-8 bytes, and comparing them takes a seventh of the
  // time.
  if (SURROGATE.test(a.id) || SURROGATE.test(b.id)) return Buffer.compare(Buffer.from(a.id), Buffer.from(b.id));
  return a.id < b.id ? -1 : 1;
}

const SURROGATE = /[\ud800-\udfff]/;

/** Returns a text that is unique among the events of the store, because several partitions may have the same id. */
export const textOfKey = ({ id, partition }: EventKey): string => (partition === undefined ? id : `${partition} ${id}`);

/** Returns the key of an event, including its partition. */
export const eventKeyOf = (store: EventStore, event: OfUser): EventKey => ({
  id: event.id,
  partition: store.partitionOf(event),
});

/** Returns the user whose lanes hold the event's deliveries; undefined if the event is not ordered. */
export const laneUser = ({ isOrdered, user }: StoredEvent): string | undefined =>
  isOrdered === true ? user : undefined;

/** An entry of the index in which a store finds due deliveries. */
export interface WaitingEntry extends QueueKey {
  readonly url: string;
  readonly stage: Stage;
}

export const stageOf = ({ phase }: Waiting): Stage => (phase === 'pending' ? 'first' : 'retry');

/** Returns the entries that an event has in the index of due deliveries. */
export function waitingEntries({ id, urls }: StoredEvent): WaitingEntry[] {
  const entries: WaitingEntry[] = [];
  for (const [url, state] of Object.entries(urls)) {
    if (isWaiting(state)) entries.push({ url, stage: stageOf(state), at: state.due, id });
  }
  return entries;
}
