import type { QueueKey } from '../event-store.js';

const MS_BYTES = 6;
const FRACTION_BYTES = 2;
const AT_BYTES = MS_BYTES + FRACTION_BYTES;

/** The number of places that an encoded key can hold per millisecond, which is more than `Places` assigns. */
const FRACTIONS = 2 ** 16;

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;

/** Stands before the bytes of a UUID. No other id begins with it, because UTF-8 never has this byte. */
const UUID_MARK = 0xff;
const UUID_BYTES = 16;

/** The id that was encoded last. A change encodes the id of its event several times in a row. */
let last: { readonly id: string; readonly bytes: Uint8Array } = { id: '', bytes: new Uint8Array() };

/** Encodes an id for a key: a UUID in lower case as a mark and its 16 bytes, any other id in UTF-8. */
export function encodeId(id: string): Uint8Array {
  if (id !== last.id) last = { id, bytes: UUID.test(id) ? encodeUuid(id) : Buffer.from(id) };
  return last.bytes;
}

function encodeUuid(id: string): Buffer {
  const bytes = Buffer.allocUnsafe(UUID_BYTES + 1);
  bytes[0] = UUID_MARK;
  bytes.write(id.slice(0, 8) + id.slice(9, 13) + id.slice(14, 18) + id.slice(19, 23) + id.slice(24), 1, 'hex');
  return bytes;
}

function decodeId(bytes: Buffer, start: number): string {
  if (bytes[start] !== UUID_MARK) return bytes.toString('utf8', start);
  const hex = bytes.toString('hex', start + 1);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/**
 * Encodes a queue key: a prefix that names the queue, the milliseconds in 6 bytes, their fraction in 2, and the id. The bytes sort
 * by time. Among keys of the same time, UUIDs come last, so these are not in the order of queue keys.
 */
export function encodeQueueKey(prefix: Uint8Array, { at, id }: QueueKey): Buffer {
  const bytes = encodeId(id);
  const key = startOf(prefix, at, bytes.length);
  key.set(bytes, prefix.length + AT_BYTES);
  return key;
}

/**
 * Returns a key before every key of that time, and after every key of an earlier one.
 *
 * @param room the number of bytes that are left free after it
 */
export function startOf(prefix: Uint8Array, at: number, room = 0): Buffer {
  const key = Buffer.allocUnsafe(prefix.length + AT_BYTES + room);
  const ms = Math.floor(at);
  key.set(prefix);
  key.writeUIntBE(ms, prefix.length, MS_BYTES);
  key.writeUIntBE((at - ms) * FRACTIONS, prefix.length + MS_BYTES, FRACTION_BYTES);
  return key;
}

export function decodeQueueKey(prefixLength: number, key: Uint8Array): QueueKey {
  const bytes = Buffer.from(key.buffer, key.byteOffset, key.byteLength);
  const fraction = bytes.readUIntBE(prefixLength + MS_BYTES, FRACTION_BYTES) / FRACTIONS;
  return { at: bytes.readUIntBE(prefixLength, MS_BYTES) + fraction, id: decodeId(bytes, prefixLength + AT_BYTES) };
}

/** Returns a key after every key with that prefix, because no time in a key has these bytes. */
export const endOf = (prefix: Uint8Array): Buffer => Buffer.concat([prefix, Buffer.alloc(AT_BYTES, 0xff)]);

/** Returns a number as two bytes, such as those that stand for a URL. */
export function uint16(number: number): Buffer {
  const bytes = Buffer.allocUnsafe(2);
  bytes.writeUInt16BE(number);
  return bytes;
}
