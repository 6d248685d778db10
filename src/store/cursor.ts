import type { QueueKey } from './event-store.js';

/** A queue key has six bytes for its time. */
const END_OF_TIME = 2 ** 48;

/** A queue key among the dead letters as a text for others to keep. */
export const cursorOf = ({ at, id }: QueueKey): string => Buffer.from(`${at} ${id}`).toString('base64url');

/** Undefined when it is no such text. */
export function queueKeyOf(cursor: string): QueueKey | undefined {
  const [, at, id] = /^(\d{1,15}) (.+)$/s.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  return id !== undefined && Number(at) < END_OF_TIME ? { at: Number(at), id } : undefined;
}
