import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatAgo, formatMoment, formatSpan } from '../../../src/dashboard/page/moment.js';
import { countEvents, lastHours, receivedByHour, startOf } from '../../../src/dashboard/page/service/hours.js';
import { readUserIds } from '../../../src/dashboard/page/service/user-ids.js';
import { servicePage } from '../../../src/dashboard/server/page.js';
import { plural } from '../../../src/plural.js';

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];

test('page of the service is the built page but for the name of its server', async () => {
  const html = await readFile('src/dashboard/page/index.html', 'utf8');
  expect(html).toContain('<html lang="en" data-server="dev">');
  expect(servicePage(html)).toBe(html.replace('"dev"', '"service"'));
});

describe('user ids', () => {
  test.each([
    ['', [], 0],
    ['u1', ['u1'], 0],
    ['u1\nu2\n', ['u1', 'u2'], 0],
    ['u1\r\nu2\ru3', ['u1', 'u2', 'u3'], 0],
    ['  u1\t\n\n   \nu 2', ['u1', 'u 2'], 0],
    ['u1\nu2\nu1\n u1', ['u1', 'u2'], 2],
  ])('user ids of %j', (text, ids, repeated) => {
    expect(readUserIds(text)).toEqual({ ids, repeated });
  });

  test('user ids are unique and in their first order', () => {
    const id = fc.stringMatching(/^[a-c]{1,2}$/);
    fc.assert(
      fc.property(fc.array(id), (given) => {
        const { ids, repeated } = readUserIds(given.join('\n'));
        expect(ids).toEqual([...new Set(given)]);
        expect(repeated).toBe(given.length - ids.length);
      }),
    );
  });
});

describe('hours', () => {
  const now = Date.parse('2026-11-20T01:59:59.999Z');

  test('hours have the names of the service, oldest first, across midnight', () => {
    expect(lastHours(3, now)).toEqual(['2026-11-19T23', '2026-11-20T00', '2026-11-20T01']);
    expect(startOf('2026-11-20T01')).toBe(Date.parse('2026-11-20T01:00:00.000Z'));
  });

  const [first = '', second = '', third = ''] = lastHours(3, now);
  const count = (hour: string, event: string | null, received: number, blocked = 0) => ({
    hour,
    event,
    type: event === null ? 'page' : 'track',
    received,
    blocked,
  });
  const counts = [
    count(third, 'Paid', 2),
    count(third, null, 4),
    count(second, 'Paid', 1, 1),
    count(first, 'Ping', 9, 9),
    count('2026-11-19T20', 'Paid', 100),
  ];

  test('hours sum what they received, without earlier hours', () => {
    expect(receivedByHour(counts, [first, second, third])).toEqual([9, 1, 6]);
  });

  test('events of the chosen hours are counted, most frequent first', () => {
    const hours = [first, second, third];
    expect(countEvents(counts, hours, new Set(hours))).toEqual([
      { event: 'Ping', type: 'track', received: 9, blocked: 9, byHour: [9, 0, 0] },
      { event: '', type: 'page', received: 4, blocked: 0, byHour: [0, 0, 4] },
      { event: 'Paid', type: 'track', received: 3, blocked: 1, byHour: [0, 1, 2] },
    ]);
    expect(countEvents(counts, hours, new Set([second]))).toEqual([
      { event: 'Paid', type: 'track', received: 1, blocked: 1, byHour: [0, 1, 2] },
    ]);
  });

  test('events keep a track event apart from a type of the same name', () => {
    const events = countEvents([count(first, null, 1), { ...count(first, 'page', 1) }], [first], new Set([first]));
    expect(events.map(({ type, event }) => [type, event])).toEqual([
      ['page', ''],
      ['track', 'page'],
    ]);
  });
});

describe('a moment', () => {
  test.each([
    [0, '0 s'],
    [-5 * SECOND, '0 s'],
    [59.9 * SECOND, '59 s'],
    [MINUTE, '1 min'],
    [HOUR, '1 h'],
    [HOUR + 59 * MINUTE, '1 h 59 min'],
    [24 * HOUR, '1 d'],
    [76 * HOUR + 12 * MINUTE, '3 d 4 h'],
  ])('span of %d ms is %s', (ms, text) => {
    expect(formatSpan(ms)).toBe(text);
  });

  test('moment of today has seconds, of another day a date', () => {
    const noon = new Date(2026, 10, 20, 12, 4, 31, 207).getTime();
    expect(formatMoment(noon, noon + HOUR)).toBe('12:04:31');
    expect(formatMoment(new Date(noon).toISOString(), noon)).toBe('12:04:31');
    expect(formatMoment(noon, noon + 24 * HOUR)).toBe('2026-11-20 12:04');
    expect(formatMoment('soon', noon)).toBe('soon');
  });

  test('moment that is absent is never', () => {
    expect(formatAgo(undefined, 0)).toBe('never');
    expect(formatAgo(null, 0)).toBe('never');
    expect(formatAgo(0, 12 * SECOND)).toBe('12 s ago');
  });
});

test.each([
  [0, 'user', '0 users'],
  [1, 'user', '1 user'],
  [1_204, 'delivery', '1,204 deliveries'],
])('plural of %d %s is %s', (count, noun, text) => {
  expect(plural(count, noun)).toBe(text);
});
