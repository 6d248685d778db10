import { type Keys, valueAt } from '../../base/options/key-path.js';
import { didYouMean } from '../../base/options/suggest.js';
import type { ConfigValues } from './config-values.js';
import { hasToName } from './has-to-name.js';
import { type Finding, formatKeys, keyOf } from './places.js';
import { describeAt } from './schema-check.js';

interface Text {
  readonly keys: Keys;
  readonly text: string;
}

/** Checks parts of the configuration against each other: names and addresses are unique, and named destinations exist. */
export function referenceFindings(values: ConfigValues): Finding[] {
  const destinations = textsAt(values, 'destinations.*.name');
  const token = textsAt(values, 'admin.token');
  const known = new Set(destinations.map(({ text }) => text));
  const named = [...textsAt(values, 'sources.*.destinations.*'), ...textsAt(values, 'audiences.destinations.*')];
  return [
    ...sameAddress(values),
    ...unnamedAudiences(values, destinations.length),
    // The name `admin` is taken: changes that are made with `admin.token` are listed under it.
    ...repeated(
      [...token.map((one) => ({ ...one, text: 'admin' })), ...textsAt(values, 'admin.tokens.*.name')],
      'a unique name',
    ),
    ...repeated(
      ['admin.token', 'admin.tokens.*.token', 'metrics.token', 'sources.*.writeKeys.*'].flatMap((path) =>
        textsAt(values, path),
      ),
      'a unique token or write key',
    ),
    ...repeated(textsAt(values, 'sources.*.name'), 'a unique name'),
    ...repeated(destinations, 'a unique name'),
    ...repeated(named, 'each destination once', ({ keys, text }) => keyOf([...keys.slice(0, -1), text])),
    ...named.flatMap((one) => (known.has(one.text) ? [] : [unknownDestination(values, one, destinations)])),
  ];
}

function unnamedAudiences({ value }: ConfigValues, destinations: number): Finding[] {
  const keys = ['audiences', 'destinations'];
  if (!hasToName(destinations) || valueAt(value, keys) !== undefined) return [];
  const expected = "the names of the destinations that get memberships, [] for none, or 'all'";
  return [{ keys, expected, received: `nothing, with ${destinations} destinations` }];
}

const ALL_ADDRESSES = ['0.0.0.0', '::'];

/** Two servers cannot share a port. */
function sameAddress({ value }: ConfigValues): Finding[] {
  if (valueAt(value, ['admin', 'listen']) === undefined) return [];
  const port = valueAt(value, ['listen', 'port']) ?? 4100;
  if (port === 0 || port !== (valueAt(value, ['admin', 'listen', 'port']) ?? 4101)) return [];
  const hosts = [['listen'], ['admin', 'listen']].map((keys) =>
    String(valueAt(value, [...keys, 'host']) ?? '127.0.0.1'),
  );
  if (new Set(hosts).size > 1 && !hosts.some((host) => ALL_ADDRESSES.includes(host))) return [];
  return [{ keys: ['admin', 'listen', 'port'], expected: 'another port than that of listen', received: `${port}` }];
}

/** Returns the texts at a path. A `*` in the path stands for every item of a list. */
function textsAt(values: ConfigValues, path: string): Text[] {
  let ways: Keys[] = [[]];
  for (const key of path.split('.')) {
    ways = ways.flatMap((keys) => {
      const value = valueAt(values.value, keys);
      if (key !== '*') return [[...keys, key]];
      return Array.isArray(value) ? value.map((_, index) => [...keys, index]) : [];
    });
  }
  return ways.flatMap((keys) => {
    const text = valueAt(values.value, keys);
    return typeof text === 'string' ? [{ keys, text }] : [];
  });
}

/** Reports texts that occur twice. It shows the place of the first one, not the text itself, because that may be a write key. */
function repeated(texts: readonly Text[], expected: string, identityOf = ({ text }: Text): string => text): Finding[] {
  const seen = new Map<string, Keys>();
  return texts.flatMap((one) => {
    const first = seen.get(identityOf(one));
    if (first !== undefined) return [{ keys: one.keys, expected, received: `that of ${formatKeys(first)}` }];
    seen.set(identityOf(one), one.keys);
    return [];
  });
}

function unknownDestination(values: ConfigValues, { keys, text }: Text, destinations: readonly Text[]): Finding {
  const isShown = ({ keys }: Pick<Text, 'keys'>): boolean => values.variablesOf(keys).length === 0;
  const names = destinations.filter(isShown).map((destination) => destination.text);
  const hint = isShown({ keys }) ? didYouMean(text, names) : '';
  return { keys, expected: 'the name of a destination', received: `${describeAt(values, keys)}${hint}` };
}
