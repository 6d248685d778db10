import { isRecord } from '../../protocol/is.js';
import { suggest } from '../../suggest.js';
import type { ConfigDocument } from './document.js';
import { type Finding, formatKeys, type Keys, valueAt } from './places.js';
import { describeAt } from './schema-check.js';

interface Named {
  readonly keys: Keys;
  readonly text: string;
}

/** What must be so between one part of the file and another: names that are unique, and names that exist. */
export function crossFindings(document: ConfigDocument): Finding[] {
  const { value } = document;
  const sources = membersOf(value, ['sources']);
  const destinations = membersOf(value, ['destinations']).flatMap((keys) => textAt(value, [...keys, 'name']));
  const references = [...sources, ['audiences']].map((keys) => textsAt(value, [...keys, 'destinations']));
  return [
    ...repeated(
      sources.flatMap((keys) => textAt(value, [...keys, 'name'])),
      'a name of its own',
    ),
    ...repeated(
      sources.flatMap((keys) => textsAt(value, [...keys, 'writeKeys'])),
      'a key of its own',
    ),
    ...repeated(destinations, 'a name of its own'),
    ...references.flatMap((names) => repeated(names, 'a name that is there once')),
    ...references.flat().flatMap((named) => unknownDestination(document, named, destinations)),
  ];
}

/** Says where it stands before, not what it is: it may be a key. */
function repeated(texts: readonly Named[], expected: string): Finding[] {
  const seen = new Map<string, Keys>();
  return texts.flatMap(({ keys, text }) => {
    const first = seen.get(text);
    if (first !== undefined) return [{ keys, expected, received: `that of ${formatKeys(first)}` }];
    seen.set(text, keys);
    return [];
  });
}

function unknownDestination(
  document: ConfigDocument,
  { keys, text }: Named,
  destinations: readonly Named[],
): Finding[] {
  if (destinations.some((destination) => destination.text === text)) return [];
  const shown = destinations.filter(({ keys }) => document.variablesOf(keys).length === 0);
  const meant = suggest(
    text,
    shown.map((destination) => destination.text),
  );
  const hint = meant === undefined || document.variablesOf(keys).length > 0 ? '' : `; did you mean ${meant}?`;
  return [{ keys, expected: 'the name of a destination', received: `${describeAt(document, keys)}${hint}` }];
}

/** The objects of a list. */
const membersOf = (value: unknown, keys: Keys): Keys[] => {
  const list = valueAt(value, keys);
  if (!Array.isArray(list)) return [];
  return list.flatMap((member, index) => (isRecord(member) ? [[...keys, index]] : []));
};

const textAt = (value: unknown, keys: Keys): Named[] => {
  const text = valueAt(value, keys);
  return typeof text === 'string' ? [{ keys, text }] : [];
};

const textsAt = (value: unknown, keys: Keys): Named[] => {
  const list = valueAt(value, keys);
  return Array.isArray(list) ? list.flatMap((_, index) => textAt(value, [...keys, index])) : [];
};
