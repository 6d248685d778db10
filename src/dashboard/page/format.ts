/** `13.4 KB`, in thousands as the limits of the protocol are. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} KB`;
  if (bytes < 1_000_000_000) return `${(bytes / 1_000_000).toFixed(1)} MB`;
  return `${(bytes / 1_000_000_000).toFixed(1)} GB`;
}

/** `12:04:31.207`, by the clock of whoever looks. */
export function formatTime(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return iso;
  const two = (value: number): string => String(value).padStart(2, '0');
  const ms = String(time.getMilliseconds()).padStart(3, '0');
  return `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}.${ms}`;
}

/** `12 ms`, `5.0 s`. */
export const formatDuration = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`);

/** A URL where room is scarce. */
export const withoutScheme = (url: string): string => url.replace(/^https?:\/\//, '');

export const formatCount = (count: number): string => count.toLocaleString('en-US');

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
