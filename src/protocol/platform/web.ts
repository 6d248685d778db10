/** The same as `node.ts`, in a third of the room: a page sends few messages. */
import type * as node from './node.js';

export const formatMs: typeof node.formatMs = (ms) => new Date(ms).toISOString();

const ISO =
  /^(\d{4}-\d\d-\d\d)(?:[Tt ]((?:[01]\d|2[0-3]):[0-5]\d)(:[0-5]\d(?:[.,](\d{1,3})\d{0,6})?)?(?:[Zz]|([+-](?:[01]\d|2[0-3]))(?::?([0-5]\d))?))?$/;

/** The strict reading: a client asks for no other. */
export const parseIso = ((text) => {
  const [, day = '', time = '00:00', seconds = ':00', decimals = '', hours = '+00', minutes = 0] = ISO.exec(text) ?? [];
  const ms = Date.parse(`${day}T${time}${seconds.slice(0, 3)}.${decimals.padEnd(3, '0')}Z`);
  // February 30 would be a day of March.
  if (Number.isNaN(ms) || !formatMs(ms).startsWith(day)) return Number.NaN;
  return ms - (Number(hours) * 60 + Number(`${hours[0]}${minutes}`)) * 60_000;
}) as typeof node.parseIso;
