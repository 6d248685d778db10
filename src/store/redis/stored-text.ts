import type { StoredEvent } from '../../delivery/completion-rule.js';
import type { DeliverableType } from '../../delivery/deliverable.js';
import { StoreRecordError } from '../errors.js';
import { stateIn, tupleOf, type UrlTuple } from './state-tuple.js';

/** A message as a storage keeps it once for all destinations: what their events share, a line's end, and the body. */
export interface MessageRecord {
  readonly type: DeliverableType;
  readonly acceptedAt: number;
  readonly source: string | undefined;
  readonly trace: string | undefined;
  readonly user: string | undefined;
  readonly epoch: number | undefined;
  readonly body: Uint8Array;
}

/** An event as it was read, and the text it was read from. */
export interface Read {
  readonly event: StoredEvent;
  /** Undefined while the event is implied: then it says that it has not been tried at its one URL where it waits, and nothing else. */
  readonly text: string | undefined;
  /** By which the storage knows the message. */
  readonly ref: string;
}

const END_OF_LINE = 0x0a;

/** Stands in a text for the ref of a message that is known by the event's own id. */
const OWN_ID = '';

/** Stands behind the URLs of a dead letter. */
const IS_DEAD = 1;

/** Stands behind the URLs of an ordered event. */
const IS_ORDERED = 2;

export function encodeRecord(event: StoredEvent, body: Uint8Array): Buffer {
  const { type, acceptedAt, source = null, trace = null, user = null, epoch = null } = event;
  const fields = [type, acceptedAt, source, trace, user, epoch];
  while (fields.at(-1) === null) fields.pop();
  return Buffer.concat([Buffer.from(`${JSON.stringify(fields)}\n`), body]);
}

export function decodeRecord(record: Buffer): MessageRecord {
  const end = record.indexOf(END_OF_LINE);
  const fields = JSON.parse(record.toString('utf8', 0, end)).map((field: unknown) => field ?? undefined);
  const [type, acceptedAt, source, trace, user, epoch] = fields;
  if (typeof type !== 'string' || typeof acceptedAt !== 'number') throw new TypeError('no record of a message');
  return {
    type: type as MessageRecord['type'],
    acceptedAt,
    source,
    trace,
    user,
    epoch,
    body: record.subarray(end + 1),
  };
}

/**
 * What a destination keeps of an event: beside its message, the URLs, each with where it stands unless it has not been tried.
 *
 * @param bytes of the message's body, where its record says of the event what it says of itself
 */
export function textOf(event: StoredEvent, ref: string, bytes?: number): string {
  const written = ref === event.id ? OWN_ID : ref;
  if (bytes === undefined || event.bytes !== bytes) return JSON.stringify({ ref: written, ...event });
  const urls = Object.entries(event.urls).map(([url, state]) => tupleOf(url, state, event.acceptedAt));
  const marks = [...(event.isDead ? [IS_DEAD] : []), ...(event.isOrdered ? [IS_ORDERED] : [])];
  return JSON.stringify([written, ...urls, ...marks]);
}

/** The ref of the event's message, by its text. */
export function refIn(id: string, text: string): string {
  const written = /^(?:\["|\{"ref":")([^"]*)"/.exec(text)?.[1];
  return written === undefined || written === OWN_ID ? id : written;
}

/** Whether the text says less than the event, so that its message has to be read as well. */
export const isShort = (text: string): boolean => text.startsWith('[');

/** What Redis keeps of an event. */
export interface StoredParts {
  readonly id: string;
  readonly text: string | undefined;
  /** At which it waits, where it is implied. */
  readonly url: string | undefined;
  /** That of its message. */
  readonly record: Buffer | undefined;
}

/** An event, and the body of its message. */
export interface ReadParts {
  readonly read: Read;
  readonly body: Uint8Array | undefined;
}

/**
 * Undefined where the event is gone.
 *
 * @throws StoreRecordError when it cannot be read: the caller leaves it where it is.
 */
export function readParts({ id, text, url, record }: StoredParts): ReadParts | undefined {
  const message = record && parsed(id, 'the message', () => decodeRecord(record));
  const read =
    text === undefined
      ? url !== undefined && message && readImplied(id, url, message)
      : parsed(id, 'the state', () => readText(id, text, message));
  return read ? { read, body: message?.body } : undefined;
}

function parsed<T>(id: string, part: string, parse: () => T): T {
  try {
    return parse();
  } catch {
    throw new StoreRecordError(id, part);
  }
}

/** Undefined as well where the event cannot be read. */
export const ifReadable = <T>(read: Promise<T>): Promise<T | undefined> =>
  read.catch((error: unknown) => {
    if (error instanceof StoreRecordError) return undefined;
    throw error;
  });

/** Undefined where the text is short and there is no message: the event is gone. */
export function readText(id: string, text: string, message: MessageRecord | undefined): Read | undefined {
  if (!isShort(text)) {
    // Our own writing, read back.
    const { ref: _, ...event } = JSON.parse(text) as StoredEvent & { ref?: string };
    if (typeof event.urls !== 'object') throw new TypeError('no event');
    return { event, text, ref: refIn(id, text) };
  }
  if (message === undefined) return undefined;
  // Our own writing, read back.
  const [, ...rest] = JSON.parse(text) as [string, ...(UrlTuple | typeof IS_DEAD | typeof IS_ORDERED)[]];
  const tuples = rest.filter((each) => typeof each !== 'number');
  const event = eventOf(id, message, tuples, rest.includes(IS_DEAD));
  return {
    event: rest.includes(IS_ORDERED) ? { ...event, isOrdered: true } : event,
    text,
    ref: refIn(id, text),
  };
}

/** An event without a text, which waits for its first attempt at the URL. */
export function readImplied(id: string, url: string, message: MessageRecord): Read {
  return { event: eventOf(id, message, [url], false), text: undefined, ref: id };
}

function eventOf(id: string, message: MessageRecord, tuples: readonly UrlTuple[], isDead: boolean): StoredEvent {
  const { type, acceptedAt, source, trace, user, epoch, body } = message;
  const urls = Object.fromEntries(tuples.map((tuple) => stateIn(tuple, acceptedAt)));
  const origin = { ...(source !== undefined && { source }), ...(trace !== undefined && { trace }) };
  const owner = { ...(user !== undefined && { user }), ...(epoch !== undefined && { epoch }) };
  return { id, type, acceptedAt, urls, isDead, ...origin, bytes: body.length, ...owner };
}

/** The text of an event that has not been tried at any of its URLs, and whose message is known by its id. */
export const untriedText = (urls: readonly string[]): string => JSON.stringify([OWN_ID, ...urls]);

export const isUntried = ({ acceptedAt, isDead, urls }: StoredEvent): boolean =>
  !isDead &&
  Object.values(urls).every(
    (state) => state.phase === 'pending' && state.due === acceptedAt && !state.isReplay && state.history.length === 0,
  );
