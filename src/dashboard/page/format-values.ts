import { formatCount } from '../../base/text/plural.js';
import type { ownFields } from '../../protocol/own-fields.js';

/** Writes `13.4 KB`, with 1 KB as 1,000 bytes, as in the limits of the protocol. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} KB`;
  if (bytes < 1_000_000_000) return `${(bytes / 1_000_000).toFixed(1)} MB`;
  return `${(bytes / 1_000_000_000).toFixed(1)} GB`;
}

const clock = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
});

/** Writes `12:04:31.207`, in the time zone of the browser. */
export function formatTime(moment: string | number): string {
  const time = new Date(moment);
  return Number.isNaN(time.getTime()) ? String(moment) : clock.format(time);
}

/** Writes `0.4 ms`, `12 ms` or `5.0 s`, and `< 1 ms` if the duration is too short to be measured. */
export function formatDuration(ms: number): string {
  if (ms < 0.05) return '< 1 ms';
  if (ms >= 999.5) return `${(ms / 1000).toFixed(1)} s`;
  return `${ms < 9.95 ? Number(ms.toFixed(1)) : Math.round(ms)} ms`;
}

/** Writes a duration, or `–` if there is none. */
export const formatDurationOrNone = (ms: number | null | undefined): string => (ms == null ? '–' : formatDuration(ms));

/** Removes the scheme from a URL, for places with little space. */
export const withoutScheme = (url: string): string => url.replace(/^https?:\/\//, '');

/** Writes a value of any type in one line. */
export function inOneLine(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

type Fields = Readonly<Record<string, unknown>>;

const placeOf = ({ category, name }: Fields): string =>
  [category, name]
    .map(inOneLine)
    .filter((part) => part !== '')
    .join(' / ');

const TITLES: Readonly<Record<keyof typeof ownFields, (fields: Fields) => string>> = {
  identify: ({ traits }) => namesOf(traits),
  track: ({ event }) => inOneLine(event),
  page: placeOf,
  screen: placeOf,
  group: ({ groupId }) => inOneLine(groupId),
  alias: ({ previousId }) => `was ${inOneLine(previousId)}`,
};

/** Returns what a message is about: the event, the page, the group or the previous id. */
export const titleOf = (message: Fields): string =>
  isType(message['type']) ? TITLES[message['type']](message) : namesOf(message['traits']);

const isType = (type: unknown): type is keyof typeof TITLES => typeof type === 'string' && Object.hasOwn(TITLES, type);

const namesOf = (traits: unknown): string =>
  typeof traits === 'object' && traits !== null ? Object.keys(traits).slice(0, 6).join(', ') : '';

export const userOf = ({ userId, anonymousId }: Fields): string => inOneLine(userId ?? anonymousId);

/** Writes `99.2 %`, or `–` if there is no share. It rounds down, so that 99.97 % is not shown as 100 %. */
export function formatShare(share: number | null | undefined): string {
  if (share == null) return '–';
  if (share === 1) return '100 %';
  return `${(Math.floor(share * 1000) / 10).toFixed(1)} %`;
}

/** A moment is ISO 8601 or ms since 1970. */
export type Moment = string | number;

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Writes a duration with its one or two largest units: `3 d 4 h`, `12 min`, `8 s`. */
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

/** Writes `12 s ago`, or `never` without a moment. */
export function formatAgo(moment: Moment | null | undefined, nowMs: number): string {
  const at = msOf(moment);
  return at === undefined ? 'never' : `${formatSpan(nowMs - at)} ago`;
}

const day = new Intl.DateTimeFormat('sv-SE');

/** Writes `12:04:31` today and `2026-11-20 12:04` on another day, in the time zone of the browser. */
export function formatMoment(moment: Moment, nowMs: number): string {
  const at = msOf(moment);
  if (at === undefined) return String(moment);
  const [time, date] = [formatTime(at), day.format(at)];
  return date === day.format(nowMs) ? time.slice(0, 8) : `${date} ${time.slice(0, 5)}`;
}

/** Within this many ms before or after now, hour and minute are enough to tell the day. */
const UNAMBIGUOUS_MS = 43_200_000;

/** Writes `12:04` within twelve hours of now, and `2026-11-20 12:04` otherwise. */
export function formatMinute(moment: Moment, nowMs: number): string {
  const atMs = new Date(moment).getTime();
  return formatMoment(moment, Math.abs(atMs - nowMs) < UNAMBIGUOUS_MS ? atMs : nowMs).replace(/(:\d\d):\d\d$/, '$1');
}

export function msOf(moment: Moment | null | undefined): number | undefined {
  if (moment === null || moment === undefined) return undefined;
  const ms = new Date(moment).getTime();
  return Number.isNaN(ms) ? undefined : ms;
}

/** Writes `The answer was late.` A text that begins with a name such as `track.messageId` keeps its lower case. */
export const sentence = (text: string): string =>
  `${text.replace(/^[a-z](?=[a-z]* )/, (letter) => letter.toUpperCase())}.`;

/** Writes `CRM, Warehouse and 498 more`; empty if there are no names. */
export function firstNames(names: readonly string[]): string {
  const [first, second, ...others] = names;
  if (first === undefined || second === undefined) return first ?? '';
  return `${first}, ${second}${others.length === 0 ? '' : ` and ${formatCount(others.length)} more`}`;
}
