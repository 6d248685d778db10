import { formatTime } from '../format.js';

/** ISO 8601, or ms since 1970. */
type Moment = string | number;

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `3 d 4 h`, `12 min`, `8 s`: the two largest units that are not nothing. */
export function formatSpan(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < MINUTE) return `${seconds} s`;
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min`;
  if (seconds < DAY) return pair(seconds, HOUR, 'h', MINUTE, 'min');
  return pair(seconds, DAY, 'd', HOUR, 'h');
}

function pair(seconds: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((seconds % large) / small);
  const first = `${Math.floor(seconds / large)} ${largeName}`;
  return rest === 0 ? first : `${first} ${rest} ${smallName}`;
}

/** `12 s ago`; `never` for what has not been. */
export function formatAgo(moment: Moment | null | undefined, nowMs: number): string {
  const at = msOf(moment);
  return at === undefined ? 'never' : `${formatSpan(nowMs - at)} ago`;
}

/** `12:04:31` today, `2026-11-20 12:04` on another day, by the clock of whoever looks. */
export function formatMoment(moment: Moment, nowMs: number): string {
  const at = msOf(moment);
  if (at === undefined) return String(moment);
  const time = formatTime(new Date(at).toISOString());
  return dayOf(at) === dayOf(nowMs) ? time.slice(0, 8) : `${dayOf(at)} ${time.slice(0, 5)}`;
}

/** The day there, `2026-11-20`. */
function dayOf(ms: number): string {
  const date = new Date(ms);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

export function msOf(moment: Moment | null | undefined): number | undefined {
  if (moment === null || moment === undefined) return undefined;
  const ms = new Date(moment).getTime();
  return Number.isNaN(ms) ? undefined : ms;
}
