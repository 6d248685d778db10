/** The address says what the page shows: `#destinations/CRM?range=24h`. */
export interface Route {
  /** Names the tab. */
  readonly view: string;
  /** Names the open item; empty when none is open. */
  readonly open: string;
  /** Holds filters, order and range. Empty values are left out. */
  readonly query: Readonly<Record<string, string>>;
}

/** Reads the part of an address behind `#`. Text that cannot be decoded is taken as it is. */
export function parseRoute(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#/, '').split(/\?(.*)/s);
  const [view = '', open = ''] = path.split(/\/(.*)/s);
  return { view, open: decode(open), query: withoutEmpty(Object.fromEntries(new URLSearchParams(search))) };
}

export function formatRoute({ view, open, query }: Route): string {
  const search = new URLSearchParams(withoutEmpty(query)).toString();
  return `#${view}${open === '' ? '' : `/${encodeURIComponent(open)}`}${search === '' ? '' : `?${search}`}`;
}

const withoutEmpty = (query: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''));

/** Returns the text itself where it cannot be decoded. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
