/** What the page shows, as its address says it: `#destinations/CRM?range=24h`. */
export interface PageView {
  /** The name of the tab. */
  readonly view: string;
  /** The name of the open item; empty if none is open. */
  readonly open: string;
  /** Filters, order and range. Empty values are left out. */
  readonly query: Readonly<Record<string, string>>;
}

/** Parses the part of an address after `#`. Text that cannot be decoded is used unchanged. */
export function parseRoute(hash: string): PageView {
  const [path = '', search = ''] = hash.replace(/^#/, '').split(/\?(.*)/s);
  const [view = '', open = ''] = path.split(/\/(.*)/s);
  return { view, open: decode(open), query: withoutEmpty(Object.fromEntries(new URLSearchParams(search))) };
}

export function formatRoute({ view, open, query }: PageView): string {
  const search = new URLSearchParams(withoutEmpty(query)).toString();
  return `#${view}${open === '' ? '' : `/${encodeURIComponent(open)}`}${search === '' ? '' : `?${search}`}`;
}

/** Returns the fields without those that have no value. */
export const withoutEmpty = (fields: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).filter((field): field is [string, string] => Boolean(field[1])));

/** Decodes a text, or returns it unchanged if it cannot be decoded. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
