/** `13.4 KB`, in thousands as the limits of the protocol are. */
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

/** `12:04:31.207`, in the time zone of the browser. */
export function formatTime(moment: string | number): string {
  const time = new Date(moment);
  return Number.isNaN(time.getTime()) ? String(moment) : clock.format(time);
}

/** `12 ms`, `5.0 s`. */
export const formatDuration = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`);

/** The same, and `–` where there is none. */
export const formatDurationOrNone = (ms: number | null | undefined): string => (ms == null ? '–' : formatDuration(ms));

/** A URL where room is scarce. */
export const withoutScheme = (url: string): string => url.replace(/^https?:\/\//, '');

/** Whatever a field holds, as text for one line. */
export function inOneLine(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

type Fields = Readonly<Record<string, unknown>>;

/** What a message is about: the event, the page, the group, the id that was. */
export function titleOf({ type, event, name, category, groupId, previousId, traits }: Fields): string {
  switch (type) {
    case 'track':
      return inOneLine(event);
    case 'page':
    case 'screen':
      return [category, name]
        .map(inOneLine)
        .filter((part) => part !== '')
        .join(' / ');
    case 'group':
      return inOneLine(groupId);
    case 'alias':
      return `was ${inOneLine(previousId)}`;
    default:
      return namesOf(traits);
  }
}

const namesOf = (traits: unknown): string =>
  typeof traits === 'object' && traits !== null ? Object.keys(traits).slice(0, 6).join(', ') : '';

export const userOf = ({ userId, anonymousId }: Fields): string => inOneLine(userId ?? anonymousId);

/** `99.2 %`, `100 %`; `–` where there is none. What is not all never reads as all. */
export function formatShare(share: number | null | undefined): string {
  if (share == null) return '–';
  if (share === 1) return '100 %';
  return `${(Math.floor(share * 1000) / 10).toFixed(1)} %`;
}
