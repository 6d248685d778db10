import type { StoredEvent } from '../../delivery/completion-rule.js';
import type { EventType } from '../../protocol/field-table.js';
import { stateIn, tupleOf, type UrlTuple } from '../state-tuple.js';
import { StoreRecordError } from '../store-errors.js';

/**
 * A message, stored once for all destinations. The stored form is a line with its place and, as JSON, the shared fields, then the
 * body. The script that takes it in adds the place.
 */
export interface MessageRecord {
  readonly type: EventType;
  readonly acceptedAt: number;
  readonly source: string | undefined;
  readonly trace: string | undefined;
  readonly user: string | undefined;
  readonly epoch: number | undefined;
  /** The place with which it was taken in; NaN if the record does not say. */
  readonly place: number;
  readonly body: Uint8Array;
}

/** An event with the record it was read from. */
export interface Read {
  readonly event: StoredEvent;
  /** Its own record; undefined if it has none. In that case it is untried, and waits in the line of its only URL. */
  readonly text: string | undefined;
  /** The key of its message's record. */
  readonly ref: string;
  /** The place with which its message was taken in; undefined if its only delivery was claimed, so that it is in no chunk. */
  readonly from?: number | undefined;
}

const END_OF_LINE = 0x0a;

/** The bracket with which the fields begin. */
const LIST = 0x5b;

/** Replaces the message's key in a record if the key is the event's own id. */
const OWN_ID = '';

/** Marks the record of a dead letter, after the URLs. */
const IS_DEAD = 1;

/** Marks the record of an ordered event, after the URLs. */
const IS_ORDERED = 2;

export function encodeRecord(event: StoredEvent, body: Uint8Array): Buffer {
  const { type, acceptedAt, source = null, trace = null, user = null, epoch = null } = event;
  const fields = [type, acceptedAt, source, trace, user, epoch];
  while (fields.at(-1) === null) fields.pop();
  return Buffer.concat([Buffer.from(`${JSON.stringify(fields)}\n`), body]);
}

function decodeRecord(record: Buffer): MessageRecord {
  const end = record.indexOf(END_OF_LINE);
  const begin = record.indexOf(LIST);
  const fields = JSON.parse(record.toString('utf8', begin, end)).map((field: unknown) => field ?? undefined);
  const [type, acceptedAt, source, trace, user, epoch] = fields;
  if (typeof type !== 'string' || typeof acceptedAt !== 'number') throw new TypeError('no record of a message');
  return {
    type: type as MessageRecord['type'],
    acceptedAt,
    source,
    trace,
    user,
    epoch,
    place: Number.parseFloat(record.toString('latin1', 0, begin)),
    body: record.subarray(end + 1),
  };
}

/** A message's record, which is decoded once, however many deliveries share it. */
export class StoredMessage {
  readonly #record: Buffer;
  #decoded: MessageRecord | undefined;

  constructor(record: Buffer) {
    this.#record = record;
  }

  /** @throws when the record cannot be read */
  get decoded(): MessageRecord {
    this.#decoded ??= decodeRecord(this.#record);
    return this.#decoded;
  }
}

/** Returns the record of an event at a destination: the message's key and the URLs, each with its state unless it is untried. */
export function textOf(event: StoredEvent, ref: string): string {
  const urls = Object.entries(event.urls).map(([url, state]) => tupleOf(url, state, event.acceptedAt));
  const marks = [...(event.isDead ? [IS_DEAD] : []), ...(event.isOrdered ? [IS_ORDERED] : [])];
  return JSON.stringify([ref === event.id ? OWN_ID : ref, ...urls, ...marks]);
}

/** Returns the key of the event's message from the event's record. */
function refIn(id: string, text: string): string {
  const written = /^\["([^"]*)"/.exec(text)?.[1];
  return written === undefined || written === OWN_ID ? id : written;
}

/** The parts of an event in Redis. */
export interface StoredParts {
  readonly id: string;
  readonly text: string | undefined;
  /** The URL it waits at, if it has no record of its own. */
  readonly url: string | undefined;
  readonly message: StoredMessage | undefined;
  /** True if this process has claimed it at the URL. @default false */
  readonly isClaimed?: boolean;
}

/** An event and its message's body. */
export interface ReadParts {
  readonly read: Read;
  readonly body: Uint8Array;
}

/**
 * Returns undefined if the event is gone.
 *
 * @throws StoreRecordError if it cannot be read; the caller leaves it where it is
 */
export function readParts({ id, text, url, message: stored, isClaimed }: StoredParts): ReadParts | undefined {
  if (stored === undefined || (text === undefined && url === undefined)) return undefined;
  const message = parsed(id, 'the message', () => stored.decoded);
  const from = Number.isNaN(message.place) || (isClaimed && text === undefined) ? undefined : message.place;
  if (text === undefined) {
    return { read: { event: eventOf(id, message, [url ?? '']), text, ref: id, from }, body: message.body };
  }
  const event = parsed(id, 'the state', () => eventIn(id, text, message));
  return { read: { event, text, ref: refIn(id, text), from }, body: message.body };
}

function parsed<T>(id: string, part: string, parse: () => T): T {
  try {
    return parse();
  } catch {
    throw new StoreRecordError(id, part);
  }
}

function eventIn(id: string, text: string, message: MessageRecord): StoredEvent {
  // This module wrote the text, so its type is known.
  const [, ...rest] = JSON.parse(text) as [string, ...(UrlTuple<string> | typeof IS_DEAD | typeof IS_ORDERED)[]];
  const tuples = rest.filter((each) => typeof each !== 'number');
  const event = eventOf(id, message, tuples, rest.includes(IS_DEAD));
  return rest.includes(IS_ORDERED) ? { ...event, isOrdered: true } : event;
}

function eventOf(
  id: string,
  { type, acceptedAt, source, trace, user, epoch, body }: MessageRecord,
  tuples: readonly UrlTuple<string>[],
  isDead = false,
): StoredEvent {
  const urls = Object.fromEntries(tuples.map((tuple) => stateIn(tuple, acceptedAt)));
  const origin = { ...(source !== undefined && { source }), ...(trace !== undefined && { trace }) };
  const owner = { ...(user !== undefined && { user }), ...(epoch !== undefined && { epoch }) };
  return { id, type, acceptedAt, urls, isDead, ...origin, bytes: body.length, ...owner };
}

/** Returns the record of an event that is untried at all its URLs. Its message's key is its own id unless another is given. */
export const untriedText = (urls: readonly string[], isOrdered: boolean, ref = OWN_ID): string =>
  JSON.stringify([ref, ...urls, ...(isOrdered ? [IS_ORDERED] : [])]);
