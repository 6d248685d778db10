/** Does the same as `node.ts` with a third of the code, because a page sends few messages. */
import { MAX_DEPTH } from '../../base/options/limits.js';
import { formatMs, isDate } from '../../base/platform/node.js';
import { parseOddTime } from '../odd-time.js';
import { MAX_WRITTEN } from '../plain.js';
import type * as node from './node.js';

/** Also returns false for most class instances. They are copied, and the copy is written as JSON would write the instance. */
export const isPlain: typeof node.isPlain = (value, most = MAX_WRITTEN) => roomLeft(value, 1, most) >= 0;

export const isPlainMessage: typeof node.isPlainMessage = ({
  event,
  name,
  category,
  properties,
  traits,
  context,
  integrations,
}) =>
  // The limit is raised by fourteen, because a list of seven items takes that much of it.
  isPlain([event, name, category, properties, traits, context, integrations], MAX_WRITTEN + 14);

export const mayLack = (): boolean => false;

export const lookOfTime = (): undefined => undefined;

function roomLeft(value: object, level: number, room: number): number {
  const kind = value.constructor;
  if (kind === Date && isDate(value)) return room;
  if (level > MAX_DEPTH || (kind !== Object && kind !== Array)) return -1;
  let left = Array.isArray(value) ? room - value.length : room;
  if (left < 0) return -1;
  for (const key in value) {
    left = roomAfter((value as Record<string, unknown>)[key], level, left);
    if (left < 0 || key === 'toJSON') return -1;
  }
  return left;
}

function roomAfter(field: unknown, level: number, room: number): number {
  if (typeof field === 'object' && field !== null) return roomLeft(field, level + 1, room - 1);
  if (typeof field === 'function' && 'toJSON' in field) return -1;
  return typeof field === 'string' ? room - field.length - 1 : room - 1;
}

const ISO =
  /^(\d{4}-\d\d-\d\d)(?:[Tt ]((?:[01]\d|2[0-3]):[0-5]\d)(:[0-5]\d(?:[.,](\d{1,3})\d{0,6})?)?(?:[Zz]|([+-](?:[01]\d|2[0-3]))(?::?([0-5]\d))?))?$/;

/** Always reads strictly, because a client never asks for anything else. */
export const parseIso = ((text) => {
  const ms = parseUsual(text);
  return Number.isNaN(ms) ? parseOddTime(text, parseUsual) : ms;
}) as typeof node.parseIso;

function parseUsual(text: string): number {
  const [, day = '', time = '00:00', seconds = ':00', decimals = '', hours = '+00', minutes = 0] = ISO.exec(text) ?? [];
  const ms = Date.parse(`${day}T${time}${seconds.slice(0, 3)}.${decimals.padEnd(3, '0')}Z`);
  // Without this check, February 30 would become a day in March.
  if (Number.isNaN(ms) || !formatMs(ms).startsWith(day)) return Number.NaN;
  return ms - (Number(hours) * 60 + Number(`${hours[0]}${minutes}`)) * 60_000;
}
