import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type GivenWebhook, recognizeWebhooks } from '../../../src/destination/endpoints/recognize-webhooks.js';
import type { KnownWebhook } from '../../../src/store/webhook-list.js';

/** Parses a list of webhooks: `A` is a webhook with that URL, `shop=A` one with an id. */
const givenOf = (text: string): GivenWebhook[] =>
  text
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => {
      const [url = '', id] = word.split('=').toReversed();
      return id === undefined ? { url } : { id, url };
    });

/** Returns what is known after these settings were applied one after another. */
const after = (...settings: string[]): readonly KnownWebhook[] =>
  settings.reduce<readonly KnownWebhook[] | undefined>(
    (known, text) => recognizeWebhooks(known, givenOf(text), []),
    undefined,
  ) ?? [];

/** Shows each webhook by key: `A>B` has moved to `B`, `A-` is gone. */
const shown = (known: readonly KnownWebhook[]): string =>
  known.map(({ key, url, isGone }) => key + (key === url ? '' : `>${url}`) + (isGone ? '-' : '')).join(' ');

describe('a webhook', () => {
  test.each<[what: string, settings: string[], known: string]>([
    ['is known by its URL', ['A B', 'B A'], 'B A'],
    ['that is removed is gone, and the next keeps its own', ['A B', 'B'], 'B A-'],
    ['that comes back is the one it was', ['A B', 'B', 'A B'], 'A B'],
    ['that is alone moves', ['A', 'B'], 'A>B'],
    ['that moves again is still the same', ['A', 'B', 'C', 'A'], 'A'],
    ['moves at its place', ['A B', 'A C'], 'A B>C'],
    ['moves between its neighbours, though one before them is gone', ['A B C', 'B D'], 'B C>D A-'],
    ['moves while another is added behind it', ['A B', 'C B D'], 'A>C B D'],
    ['moves with all others', ['A B', 'C D'], 'A>C B>D'],
    ['moves when it is the only one that is gone, and one is new', ['A B C', 'C B D'], 'C B A>D'],
    ['is not taken for one of several that are gone', ['A B', 'C'], 'C A- B-'],
    ['is not taken for another that changes places as well', ['A B C D', 'D C E F'], 'D C E F A- B-'],
    ['that comes to a URL which was the key of another gets a key of its own', ['A', 'B', 'B A'], 'A>B A#2>A'],
    ['is known by its id wherever it points', ['shop=A crm=B', 'crm=C shop=D'], 'B>C A>D'],
    ['is known by its id when it comes back elsewhere', ['shop=A crm=B', 'crm=B', 'crm=B shop=C'], 'B A>C'],
    ['keeps what it was known by when it gets an id', ['A B', 'A shop=B', 'A shop=C'], 'A B>C'],
    ['that gets an id as it moves is the one that moved', ['A B', 'A shop=C'], 'A B>C'],
    ['of another id at the same URL is the same', ['shop=A', 'store=A'], 'A'],
    ['of an id never moves without it', ['shop=A', 'B'], 'B A-'],
    ['of another id at another URL is another', ['shop=A', 'crm=B'], 'B A-'],
    ['keeps its id when another takes over its URL', ['shop=A', 'shop=B crm=A'], 'A>B A#2>A'],
    ['is known by its id before another is by its URL', ['shop=A B', 'shop=B'], 'A>B B-'],
  ])('%s', (_, settings, known) => {
    expect(shown(after(...settings))).toBe(known);
  });

  test('in a store without a record of webhooks, the URLs with waiting deliveries count as the known webhooks', () => {
    expect(shown(recognizeWebhooks(undefined, givenOf('A B'), ['B', 'A']))).toBe('A B');
    expect(shown(recognizeWebhooks(undefined, givenOf('B'), ['A']))).toBe('A>B');
    expect(shown(recognizeWebhooks(undefined, givenOf('C D'), ['A', 'B']))).toBe('C D A- B-');
  });

  test('unchanged webhooks leave the record unchanged', () => {
    const known = after('A shop=B', 'shop=B');
    expect(recognizeWebhooks(known, givenOf('shop=B'), [])).toBe(known);
  });

  test('only the latest hundred removed webhooks are remembered', () => {
    let known = after('A B');
    for (let count = 0; count < 200; count++) known = recognizeWebhooks(known, givenOf(`A x${count}=U${count}`), []);
    expect(known).toHaveLength(102);
    expect(known.slice(2, 4).map(({ url }) => url)).toEqual(['U198', 'U197']);
  });
});

describe('any sequence of changes', () => {
  const url = fc.constantFrom('A', 'B', 'C', 'D', 'E', 'F', 'G');
  const id = fc.option(fc.constantFrom('one', 'two', 'three'), { nil: undefined });
  const list = fc
    .uniqueArray(fc.record({ url, id }), { minLength: 1, maxLength: 5, selector: (one) => one.url })
    .filter((webhooks) => {
      const ids = webhooks.flatMap((one) => one.id ?? []);
      return new Set(ids).size === ids.length;
    });
  const history = fc.array(list, { minLength: 1, maxLength: 6 });
  const knownAfter = (lists: readonly GivenWebhook[][]) =>
    lists.reduce<readonly KnownWebhook[] | undefined>(
      (known, given) => recognizeWebhooks(known, given, []),
      undefined,
    ) ?? [];
  const numRuns = Number(process.env['PROPERTY_RUNS'] ?? 300);

  test('the given webhooks come first in the record, and no two entries share a key or an id', () => {
    fc.assert(
      fc.property(history, (lists) => {
        const known = knownAfter(lists);
        const last = lists.at(-1) ?? [];
        expect(known.slice(0, last.length).map(({ id, url, isGone }) => ({ id, url, isGone }))).toEqual(
          last.map(({ id, url }) => ({ id, url, isGone: undefined })),
        );
        expect(known.slice(last.length).every(({ isGone }) => isGone)).toBe(true);
        expect(new Set(known.map(({ key }) => key)).size).toBe(known.length);
        const ids = known.flatMap(({ id }) => id ?? []);
        expect(new Set(ids).size).toBe(ids.length);
      }),
      { numRuns },
    );
  });

  test('a webhook that keeps both its URL and its id, or has no id, keeps its key', () => {
    fc.assert(
      fc.property(history, list, (lists, next) => {
        const before = knownAfter(lists);
        const known = recognizeWebhooks(before, next, []);
        for (const one of next) {
          const same = before.find(({ url, id, isGone }) => !isGone && url === one.url && id === one.id);
          if (same !== undefined) expect(known.find(({ url }) => url === one.url)?.key).toBe(same.key);
        }
      }),
      { numRuns },
    );
  });

  test('a webhook keeps its key as long as its id is given', () => {
    fc.assert(
      fc.property(history, list, (lists, next) => {
        const before = knownAfter(lists);
        const known = recognizeWebhooks(before, next, []);
        for (const { id } of next) {
          const same = id === undefined ? undefined : before.find((one) => one.id === id);
          if (same !== undefined) expect(known.find((one) => one.id === id)?.key).toBe(same.key);
        }
      }),
      { numRuns },
    );
  });

  test('only removing webhooks moves none of the others', () => {
    fc.assert(
      fc.property(history, fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }), (lists, keeps) => {
        const before = knownAfter(lists);
        const left = (lists.at(-1) ?? []).filter((_, index) => keeps[index]);
        if (left.length === 0) return;
        for (const { key, url } of recognizeWebhooks(before, left, [])) {
          expect(before.find((one) => one.key === key)?.url).toBe(url);
        }
      }),
      { numRuns },
    );
  });

  test('a single new URL in an otherwise unchanged list is a move', () => {
    fc.assert(
      fc.property(history, fc.nat(), (lists, at) => {
        const last = lists.at(-1) ?? [];
        const before = knownAfter(lists);
        const index = at % last.length;
        const next = last.map((one, place) => (place === index ? { ...one, url: 'Z' } : one));
        expect(recognizeWebhooks(before, next, [])[index]?.key).toBe(before[index]?.key);
      }),
      { numRuns },
    );
  });

  test('applying the same settings again changes nothing', () => {
    fc.assert(
      fc.property(history, (lists) => {
        const known = knownAfter(lists);
        expect(recognizeWebhooks(known, lists.at(-1) ?? [], [])).toBe(known);
      }),
      { numRuns },
    );
  });
});
