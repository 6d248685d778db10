import { readFile, stat } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';

const WINDOWS_HOSTS = join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32', 'drivers', 'etc', 'hosts');

export const HOSTS_FILE = process.platform === 'win32' ? WINDOWS_HOSTS : '/etc/hosts';

/** The file in which most systems say how names are completed. Windows has none. */
export const RESOLV_CONF = '/etc/resolv.conf';

/** Parses a hosts file into the addresses of each name. Names are in lower case. */
export function parseHosts(text: string): ReadonlyMap<string, readonly string[]> {
  const addresses = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = wordsOf(line);
    if (isIP(address) === 0) continue;
    for (const name of names)
      addresses.set(name.toLowerCase(), [...(addresses.get(name.toLowerCase()) ?? []), address]);
  }
  return addresses;
}

/** How a name is completed before it is looked up. */
export interface NameSearch {
  /** Suffixes that are appended to a name, in this order. */
  readonly domains: readonly string[];
  /** A name with at least this many dots is first looked up as it is. */
  readonly ndots: number;
}

export function parseResolvConf(text: string): NameSearch {
  let domains: readonly string[] = [];
  let ndots = 1;
  for (const line of text.split('\n')) {
    const [keyword, ...words] = wordsOf(line);
    // Source: resolv.conf(5). The last `search` or `domain` counts.
    if (keyword === 'search' || keyword === 'domain') domains = words.filter((word) => word !== '.');
    const given = keyword === 'options' ? words.find((word) => /^ndots:\d+$/.test(word)) : undefined;
    if (given !== undefined) ndots = Number(given.slice('ndots:'.length));
  }
  return { domains, ndots };
}

/** Lists the full names that a name may stand for, in the order in which they are looked up. */
export function fullNames(name: string, { domains, ndots }: NameSearch): string[] {
  if (name.endsWith('.')) return [name];
  const completed = domains.map((domain) => `${name}.${domain}`);
  const dots = name.split('.').length - 1;
  return dots >= ndots ? [name, ...completed] : [...completed, name];
}

const wordsOf = (line: string): string[] =>
  line
    .replace(/[#;].*/, '')
    .split(/\s+/)
    .filter(Boolean);

/**
 * Returns a function that reads a small system file, and parses it again whenever it has changed. It never rejects: a missing or
 * unreadable file counts as empty.
 */
export function parsedFile<T>(path: string, parse: (text: string) => T): () => Promise<T> {
  let version: string | undefined;
  let parsed = parse('');
  return async () => {
    try {
      const { mtimeMs, size } = await stat(path);
      const current = `${mtimeMs} ${size}`;
      if (current !== version) {
        parsed = parse(await readFile(path, 'utf8'));
        version = current;
      }
    } catch {
      version = undefined;
      parsed = parse('');
    }
    return parsed;
  };
}
