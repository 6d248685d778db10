import type { EventferryError } from '../../base/errors/errors.js';
import { allocate, type Bytes, byteLength, decode, write, writeAscii } from '../../base/platform/node.js';
import type { Message } from '../../protocol/message.js';
import { VERSION } from '../../version.js';
import { Results } from './receipt.js';

/*
 * A request body is
 *
 *   {"batch":[ message , message … ],"messageId":"<uuid>","sentAt":"<24 characters>","context":{"library":{…}}}
 *
 * with the messages first, so that the client can write them into the bytes of the request before it knows the time of sending. A
 * batch with a row of an import has no `sentAt`, because a collector would correct the times of the rows by it.
 */

const HEAD = '{"batch":[';

const LIBRARY = JSON.stringify({ library: { name: 'eventferry', version: VERSION } });

/** Returns the end of a body, after the messages. It is ASCII and has the same length for every batch and every time. */
const tailOf = (batchId: string, sentAt: string | undefined): string =>
  `],"messageId":"${batchId}"${sentAt === undefined ? '' : `,"sentAt":"${sentAt}"`},"context":${LIBRARY}}`;

const NO_ID = '00000000-0000-0000-0000-000000000000';
const TAIL_BYTES = tailOf(NO_ID, '0000-00-00T00:00:00.000Z').length;
const TAIL_BYTES_WITHOUT_SENT_AT = tailOf(NO_ID, undefined).length;

/** The bytes that an envelope adds to the messages and the commas between them. */
export const ENVELOPE_BYTES = HEAD.length + TAIL_BYTES;

/** Returns a body with a copy of these messages, which include their commas. */
function wrap(messages: Uint8Array, tail: string): Uint8Array<ArrayBuffer> {
  const body = allocate(HEAD.length + messages.length + tail.length);
  writeAscii(body, HEAD, 0);
  body.set(messages, HEAD.length);
  writeAscii(body, tail, HEAD.length + messages.length);
  return body;
}

const LEAST_CAPACITY = 4_096;
const COMMA = 0x2c;
const SPACE = 0x20;
const NONE: ReadonlyMap<number, number> = new Map();
// One UTF-16 code unit takes at most three bytes in UTF-8.
const MOST_BYTES_PER_UNIT = 3;

export interface BatchLimits {
  /** The largest body in bytes, including the envelope and commas. */
  readonly maxBytes: number;
  readonly maxMessages: number;
}

/**
 * The messages of one request, written one after another into the bytes that will be sent. Besides those bytes a waiting message
 * costs one number: where it ends.
 */
export class Batch {
  readonly id: string;
  readonly results = new Results();
  /** True while the batch's messages are in memory. */
  isLoaded = true;
  /** True while a request carries the batch's messages; false between two attempts. */
  isUnderWay = false;
  readonly #limits: BatchLimits;
  readonly #ends: number[] = [];
  #buffer: Bytes;
  #end: number;
  #hasImported = false;
  #bodies = 0;
  #dropped: Map<number, number> | undefined;

  /**
   * @param id a UUID, whose length is counted before it is written
   * @param expectedBytes the expected size of the body: memory for it is allocated at once, and more when needed
   * @param over a batch that has ended, whose memory the new one reuses
   */
  constructor(id: string, limits: BatchLimits, expectedBytes = 0, over?: Batch) {
    this.id = id;
    this.#limits = limits;
    const capacity = Math.min(Math.max(Math.ceil(expectedBytes), LEAST_CAPACITY), limits.maxBytes);
    const isLargeEnough = over !== undefined && over.#buffer.length >= capacity;
    this.#buffer = isLargeEnough ? over.#buffer : allocate(capacity);
    over?.unload();
    this.#end = writeAscii(this.#buffer, HEAD, 0);
  }

  get count(): number {
    return this.#ends.length;
  }

  /** The size of the body with all messages, in bytes. */
  get bytes(): number {
    return this.#end + (this.#hasImported ? TAIL_BYTES_WITHOUT_SENT_AT : TAIL_BYTES);
  }

  get isFull(): boolean {
    return this.#ends.length >= this.#limits.maxMessages;
  }

  /** True once every message of the batch has ended. */
  get isOver(): boolean {
    return this.results.ended === this.#ends.length;
  }

  /** The indexes of messages that were dropped and will not be sent, each with its size in bytes. */
  get dropped(): ReadonlyMap<number, number> {
    return this.#dropped ?? NONE;
  }

  /** Returns the indexes from `from` up to but not including `to` of messages that were not dropped. */
  keptOf(from: number, to: number): number[] {
    return Array.from({ length: to - from }, (_, index) => from + index).filter((index) => !this.dropped.has(index));
  }

  /** Returns true if all messages from `from` up to but not including `to` were dropped. */
  isDropped(from: number, to: number): boolean {
    return this.#dropped !== undefined && this.bytesOf(from, to) === 0;
  }

  /** True if exactly one request was made with the batch's bytes. */
  get wasSentOnce(): boolean {
    return this.#bodies === 1;
  }

  /** Records that the last message is a row of an import. */
  noteImported(): void {
    this.#hasImported = true;
  }

  /** Ends a message that will not be sent, overwrites its bytes and returns their number. */
  drop(index: number, error: EventferryError): number {
    const bytes = this.bytesOf(index, index + 1);
    if (this.isLoaded) this.messages(index, index + 1).fill(SPACE);
    this.#dropped ??= new Map();
    this.#dropped.set(index, bytes);
    this.results.endEarly(index, error);
    return bytes;
  }

  /** Frees the memory. The messages are kept elsewhere until `load`. */
  unload(): void {
    this.#buffer = allocate(0);
    this.isLoaded = false;
  }

  /**
   * Takes the messages back into memory.
   *
   * @param messages all of them
   * @returns how many bytes longer they are than before
   */
  load(messages: readonly Uint8Array[]): number {
    const before = this.bytesOf(0, this.count);
    const bytes = messages.reduce((sum, message) => sum + message.length + 1, 0);
    this.#buffer = allocate(HEAD.length + bytes + TAIL_BYTES);
    this.#end = writeAscii(this.#buffer, HEAD, 0);
    this.#ends.length = 0;
    this.isLoaded = true;
    for (const message of messages) this.addBytes(message);
    return this.bytesOf(0, this.count) - before;
  }

  /** Appends one message, given as bytes; returns false if it does not fit. */
  addBytes(json: Uint8Array): boolean {
    const comma = this.#ends.length === 0 ? 0 : 1;
    const end = this.#end + comma + json.length;
    if (end + TAIL_BYTES > this.#limits.maxBytes) return false;
    this.#reserve(end + TAIL_BYTES);
    if (comma === 1) this.#buffer[this.#end] = COMMA;
    this.#buffer.set(json, this.#end + comma);
    this.#end = end;
    this.#ends.push(end);
    return true;
  }

  /** Appends one message; returns its bytes, or undefined if it no longer fits. */
  add(json: string): number | undefined {
    const comma = this.#ends.length === 0 ? 0 : 1;
    const spare = this.#limits.maxBytes - this.#end - comma - TAIL_BYTES;
    const atMost = json.length * MOST_BYTES_PER_UNIT;
    // Counting the exact bytes is only worthwhile near the limit.
    if (atMost > spare && byteLength(json) > spare) return undefined;
    this.#reserve(this.#end + comma + atMost + TAIL_BYTES);
    // A comma joins each message to the one before it, so all but the first cost one byte more.
    if (comma === 1) this.#buffer[this.#end] = COMMA;
    const bytes = write(this.#buffer, json, this.#end + comma);
    this.#end += comma + bytes;
    this.#ends.push(this.#end);
    return bytes;
  }

  /**
   * Returns the body with the messages from `from` up to but not including `to`. For the whole batch it is the batch's own
   * memory, which is valid until the next body is requested; for a part it is a copy.
   *
   * @throws Error while the messages are not in memory, because a collector would accept an empty batch, and they would count as
   *   delivered
   */
  body(from: number, to: number, sentAt: string): Uint8Array<ArrayBuffer> {
    if (!this.isLoaded) throw new Error('A batch was to be sent without its messages');
    const tail = this.#tailOf(sentAt);
    this.#bodies++;
    if (this.#dropped !== undefined) return wrap(this.#joined(this.keptOf(from, to)), tail);
    if (from === 0 && to === this.#ends.length) {
      return this.#buffer.subarray(0, this.#end + writeAscii(this.#buffer, tail, this.#end));
    }
    return wrap(this.messages(from, to), tail);
  }

  /** Returns a body with another batch's message in this batch's envelope. */
  bodyAround(message: Uint8Array, sentAt: string): Uint8Array<ArrayBuffer> {
    return wrap(message, this.#tailOf(sentAt));
  }

  /** Returns a copy of one message's bytes. */
  copyOf(index: number): Uint8Array {
    return new Uint8Array(this.messages(index, index + 1));
  }

  /** Returns the bytes of the messages from `from` up to but not including `to`, without commas and dropped messages. */
  bytesOf(from: number, to: number): number {
    if (to <= from) return 0;
    const bytes = this.#startOf(to) - this.#startOf(from) - (to - from);
    return this.#dropped === undefined ? bytes : bytes - this.#droppedBytesOf(from, to);
  }

  /** Parses one message from its bytes; returns an empty one while they are only on disk. */
  message(index: number): Message {
    if (!this.isLoaded) return {} as Message;
    return JSON.parse(decode(this.messages(index, index + 1)));
  }

  /** Frees the memory that was reserved for messages that will not come. */
  trim(): void {
    const needed = this.#end + TAIL_BYTES;
    if (this.#buffer.length > needed * 1.25) this.#resize(needed);
  }

  /** Returns the memory of the messages from `from` up to but not including `to`, with a comma between each two. */
  messages(from: number, to: number): Bytes {
    return this.#buffer.subarray(this.#startOf(from), this.#startOf(to) - 1);
  }

  #droppedBytesOf(from: number, to: number): number {
    if (to - from === 1) return this.dropped.get(from) ?? 0;
    let sum = 0;
    for (const [index, bytes] of this.dropped) if (from <= index && index < to) sum += bytes;
    return sum;
  }

  #joined(indexes: readonly number[]): Bytes {
    const parts = indexes.map((index) => this.messages(index, index + 1));
    const joined = allocate(parts.reduce((sum, part) => sum + part.length + 1, -1));
    let at = 0;
    for (const part of parts) {
      if (at > 0) joined[at++] = COMMA;
      joined.set(part, at);
      at += part.length;
    }
    return joined;
  }

  #tailOf(sentAt: string): string {
    return tailOf(this.id, this.#hasImported ? undefined : sentAt);
  }

  /** Returns the position at which message `index` starts: after the comma that follows the message before it. */
  #startOf(index: number): number {
    return index === 0 ? HEAD.length : (this.#ends[index - 1] ?? this.#end) + 1;
  }

  #reserve(bytes: number): void {
    const { length } = this.#buffer;
    const { maxBytes } = this.#limits;
    // Callers pass the largest possible size. A buffer of `maxBytes` holds every message that fits.
    if (bytes <= length || length >= maxBytes) return;
    this.#resize(Math.min(maxBytes, Math.max(bytes, length * 2)));
  }

  #resize(bytes: number): void {
    const larger = allocate(bytes);
    larger.set(this.#buffer.subarray(0, this.#end));
    this.#buffer = larger;
  }
}
