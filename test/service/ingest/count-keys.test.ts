import { expect, test } from 'vitest';
import { ALL_TYPES, type CountKey, countKey, hourOf, readCountKey } from '../../../src/service/ingest/counts.js';
import { counting } from './counting.js';

test('the name of an event is shortened and made well-formed, so that it fits in a key', async () => {
  const { counts, errors, written } = counting();
  counts.received('s', 'track', '\u{10ffff}'.repeat(500), false);
  counts.received('s', 'track', 'half \ud800', false);
  await counts.flush();
  expect(errors).toEqual([]);
  expect((await written()).map(({ event }) => event?.at(-1))).toEqual(['…', '\ufffd']);
});

test.each<CountKey>([
  { source: 'web site/a', hour: '2026-11-20T12', type: 'track', event: 'Order / Completed', what: 'received' },
  { source: 's', hour: '2026-11-20T12', type: ALL_TYPES, event: '', what: 'forwarded' },
])('the key of the counter %j is parsed again', (counter) => {
  expect(readCountKey(countKey(counter))).toEqual(counter);
});

test('a text that is not the key of a counter is not parsed as one', () => {
  expect(readCountKey('counts/s/2026-11-20T12')).toBeUndefined();
});

test('hours are in UTC', () => {
  expect(hourOf(Date.parse('2026-11-20T12:59:59.999Z'))).toBe('2026-11-20T12');
});
