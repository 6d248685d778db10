import { expect, test } from 'vitest';
import { countEvents, lastHours } from '../../../../src/dashboard/page/service/hours.js';

const now = Date.parse('2026-11-20T01:59:59.999Z');

test('hours have the same names as in the service, oldest first, even across midnight', () => {
  expect(lastHours(3, now)).toEqual(['2026-11-19T23', '2026-11-20T00', '2026-11-20T01']);
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

test('the events of the selected hours are counted, most frequent first', () => {
  expect(countEvents(counts, [first, second, third])).toEqual([
    { event: 'Ping', type: 'track', received: 9, blocked: 9, byHour: [9, 0, 0] },
    { event: '', type: 'page', received: 4, blocked: 0, byHour: [0, 0, 4] },
    { event: 'Paid', type: 'track', received: 3, blocked: 1, byHour: [0, 1, 2] },
  ]);
  expect(countEvents(counts, [second])).toEqual([
    { event: 'Paid', type: 'track', received: 1, blocked: 1, byHour: [1] },
  ]);
});

test('a track event and a message type with the same name are counted separately', () => {
  const events = countEvents([count(first, null, 1), { ...count(first, 'page', 1) }], [first]);
  expect(events.map(({ type, event }) => [type, event])).toEqual([
    ['page', ''],
    ['track', 'page'],
  ]);
});
