import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matcherOf } from '../../../src/dashboard/page/filter.js';
import { formatBytes, formatDuration, titleOf, userOf } from '../../../src/dashboard/page/format.js';
import { Log } from '../../../src/dashboard/page/log.js';
import { Rates } from '../../../src/dashboard/page/rates.js';
import { asCode, asCurl } from '../../../src/dashboard/page/snippets.js';

const entryOf = (message: Record<string, unknown>) =>
  ({ kind: 'message', seq: 1, receivedAt: '', source: 'dev', bytes: 1, message }) as const;

describe('a log', () => {
  test('log keeps the newest entries, and shows those that pass the filter', () => {
    const steps = fc.array(fc.array(fc.nat(9), { maxLength: 12 }), { maxLength: 8 });
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 10 }), fc.nat(9), (batches, capacity, least) => {
        const log = new Log<{ value: number }>(capacity);
        const isShown = ({ value }: { value: number }): boolean => value >= least;
        log.filter(isShown);
        const all = batches.flatMap((values) => {
          const entries = values.map((value) => ({ value }));
          expect(log.add(entries)).toBe(entries.filter(isShown).length);
          return entries;
        });
        const kept = all.slice(-capacity);
        expect([log.total, log.size]).toEqual([all.length, kept.length]);
        expect(log.visible).toEqual(kept.filter(isShown));
      }),
    );
  });
});

describe('the filter', () => {
  const message = { type: 'track', userId: 'Ada-1', event: 'Order Completed', properties: { city: 'Zürich' } };
  const nothing = { types: new Set<string>(), text: '', user: '' };

  test.each([
    [nothing, true],
    [{ ...nothing, types: new Set(['track', 'page']) }, true],
    [{ ...nothing, types: new Set(['page']) }, false],
    [{ ...nothing, text: ' ORDER ' }, true],
    [{ ...nothing, text: 'zürich' }, true],
    [{ ...nothing, text: 'missing' }, false],
    [{ ...nothing, user: 'ada' }, true],
    [{ ...nothing, user: 'completed' }, false],
  ])('filter %j lets the message through: %s', (filter, isShown) => {
    expect(matcherOf(filter)(entryOf(message))).toBe(isShown);
  });
});

describe('a row', () => {
  test.each([
    [{ type: 'track', event: 'Paid' }, 'Paid'],
    [{ type: 'page', category: 'Shop', name: 'Home' }, 'Shop / Home'],
    [{ type: 'screen', name: null }, ''],
    [{ type: 'group', groupId: 7 }, '7'],
    [{ type: 'alias', previousId: 'a1' }, 'was a1'],
    [{ type: 'identify', traits: { name: 'Ada', plan: 'pro' } }, 'name, plan'],
    [{ type: 'identify', traits: null }, ''],
    [{ type: 'track', event: { odd: true } }, '{"odd":true}'],
  ])('title of %j is %j', (message, title) => {
    expect(titleOf(message)).toBe(title);
  });

  test('row names the user id, or else the anonymous id', () => {
    expect([userOf({ userId: 'u', anonymousId: 'a' }), userOf({ userId: null, anonymousId: 'a' }), userOf({})]).toEqual(
      ['u', 'a', ''],
    );
  });

  test.each([
    [999, '999 B'],
    [13_450, '13.4 KB'],
    [2_000_000, '2.0 MB'],
  ])('size of %d bytes is %s', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });
});

test.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [5_004, '5.0 s'],
])('duration of %d milliseconds is %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

describe('a copy', () => {
  const message = { type: 'track', messageId: 'm1', timestamp: 't', receivedAt: 'r', userId: 'u1', event: "It's" };

  test('copy as cURL sends the message again as a new one', () => {
    expect(asCurl(message, 'http://127.0.0.1:4100')).toBe(
      [
        'curl http://127.0.0.1:4100/v1/track \\',
        '  -u "$EVENTFERRY_WRITE_KEY:" \\',
        "  -H 'Content-Type: application/json' \\",
        `  -d '{"userId":"u1","event":"It'\\''s"}'`,
      ].join('\n'),
    );
  });

  test('copy as code is the call', () => {
    const properties = { total: 42, tags: ['a'], 'unit price': null, none: {} };
    expect(asCode({ type: 'track', userId: 'u1', event: 'Paid', properties })).toBe(
      [
        'analytics.track({',
        "  userId: 'u1',",
        "  event: 'Paid',",
        '  properties: {',
        '    total: 42,',
        '    tags: [',
        "      'a',",
        '    ],',
        "    'unit price': null,",
        '    none: {},',
        '  },',
        '});',
      ].join('\n'),
    );
  });

  test('copy as code evaluates to the message, with any texts and keys', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), (value, text) => {
        const properties = JSON.parse(JSON.stringify({ value, text, ['__proto__']: 1 }));
        let given: unknown;
        const analytics = { track: (fields: unknown) => (given = fields) };
        new Function('analytics', asCode({ type: 'track', properties }))(analytics);
        expect(JSON.stringify(given)).toBe(JSON.stringify({ properties }));
      }),
    );
  });
});

test('rates count the events of each whole second, and forget what is older', () => {
  const rates = new Rates(3);
  rates.add(10_999, 2);
  rates.add(11_000, 1);
  rates.add(12_500, 5);
  expect(rates.until(13_100)).toEqual([2, 1, 5]);
  expect(rates.until(15_000)).toEqual([5, 0, 0]);
  expect(rates.until(99_000)).toEqual([0, 0, 0]);
});
