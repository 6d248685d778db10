import { formatTime } from './format.js';
/** ISO 8601, or ms since 1970. */
export type Moment = string | number;

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `3 d 4 h`, `12 min`, `8 s`: the two largest units above zero. */
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

/** `12 s ago`; `never` without a moment. */
export function formatAgo(moment: Moment | null | undefined, nowMs: number): string {
  const at = msOf(moment);
  return at === undefined ? 'never' : `${formatSpan(nowMs - at)} ago`;
}

const day = new Intl.DateTimeFormat('sv-SE');

/** `12:04:31` today, `2026-11-20 12:04` on another day, in the time zone of the browser. */
export function formatMoment(moment: Moment, nowMs: number): string {
  const at = msOf(moment);
  if (at === undefined) return String(moment);
  const [time, date] = [formatTime(at), day.format(at)];
  return date === day.format(nowMs) ? time.slice(0, 8) : `${date} ${time.slice(0, 5)}`;
}

export function msOf(moment: Moment | null | undefined): number | undefined {
  if (moment === null || moment === undefined) return undefined;
  const ms = new Date(moment).getTime();
  return Number.isNaN(ms) ? undefined : ms;
}
