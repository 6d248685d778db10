import { newEvent, type StoredEvent } from '../../delivery/completion-rule.js';
import type { DeliverableType } from '../../delivery/deliverable.js';

/** A message as a storage keeps it once for all destinations: what their events share, a line's end, and the body. */
export interface MessageRecord {
  readonly type: DeliverableType;
  readonly acceptedAt: number;
  readonly source: string | undefined;
  readonly trace: string | undefined;
  readonly body: Uint8Array;
}

/** An event as it was read, and the text it was read from. */
export interface Read {
  readonly event: StoredEvent;
  readonly text: string;
  /** By which the storage knows the message; undefined for events of versions that kept a body for each destination. */
  readonly ref: string | undefined;
}

const END_OF_LINE = 0x0a;

export function encodeRecord({ type, acceptedAt, source, trace }: StoredEvent, body: Uint8Array): Buffer {
  const fields = [type, acceptedAt, ...(source === undefined && trace === undefined ? [] : [source ?? null])];
  if (trace !== undefined) fields.push(trace);
  return Buffer.concat([Buffer.from(`${JSON.stringify(fields)}\n`), body]);
}

export function decodeRecord(record: Buffer): MessageRecord {
  const end = record.indexOf(END_OF_LINE);
  const [type, acceptedAt, source, trace] = JSON.parse(record.toString('utf8', 0, end));
  return { type, acceptedAt, source: source ?? undefined, trace, body: record.subarray(end + 1) };
}

/** What a destination keeps of an event. One that has not been tried is known by its message and its URLs alone. */
export function textOf(event: StoredEvent, ref: string | undefined, bytes?: number): string {
  if (ref !== undefined && isUntried(event) && event.bytes === bytes) {
    return JSON.stringify([ref, ...Object.keys(event.urls)]);
  }
  return JSON.stringify(ref === undefined ? event : { ref, ...event });
}

/** The `ref` in the text. */
export const refIn = (text: string): string | undefined => /^(?:\["|\{"ref":")([^"]+)"/.exec(text)?.[1];

/** Whether the text says less than the event, so that its message has to be read as well. */
export const isShort = (text: string): boolean => text.startsWith('[');

/** Undefined where the text is short and there is no message: the event is gone. */
export function readText(id: string, text: string, message: MessageRecord | undefined): Read | undefined {
  if (!isShort(text)) {
    // Our own writing, read back.
    const { ref, ...event } = JSON.parse(text) as StoredEvent & { ref?: string };
    return { event, text, ref };
  }
  if (message === undefined) return undefined;
  const [ref, ...urls] = JSON.parse(text) as [string, ...string[]];
  const { type, acceptedAt, source, trace, body } = message;
  const origin = { ...(source !== undefined && { source }), ...(trace !== undefined && { trace }) };
  return { event: newEvent(id, type, urls, acceptedAt, { ...origin, bytes: body.length }), text, ref };
}

/** What is kept of an event that has not been tried. @param urls as `Way` has them */
export const shortText = (ref: string, urls: string): string => `["${ref}",${urls}]`;

export const isUntried = ({ acceptedAt, isDead, urls }: StoredEvent): boolean =>
  !isDead &&
  Object.values(urls).every(
    (state) => state.phase === 'pending' && state.due === acceptedAt && state.history.length === 0,
  );
