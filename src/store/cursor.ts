import type { Place } from './event-store.js';

/** A place has six bytes for its time. */
const END_OF_TIME = 2 ** 48;

/** A place among the dead letters as a text for others to keep. */
export const cursorOf = ({ at, id }: Place): string => Buffer.from(`${at} ${id}`).toString('base64url');

/** Undefined when it is no such text. */
export function placeOf(cursor: string): Place | undefined {
  const [, at, id] = /^(\d{1,15}) (.+)$/s.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  return id !== undefined && Number(at) < END_OF_TIME ? { at: Number(at), id } : undefined;
}
