import { expect, test } from 'vitest';
import {
  ALL_TYPES,
  COUNTS,
  type CountKey,
  Counts,
  countKey,
  hourOf,
  readCountKey,
} from '../../../src/service/ingest/counts.js';
import type { KeyValueStore } from '../../../src/store/key-value-store.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { FakeClock } from '../../support/fake-clock.js';

function counting(keyValues: KeyValueStore = memoryStorage().keyValues) {
  const clock = new FakeClock();
  const errors: unknown[] = [];
  const counts = new Counts({
    keyValues,
    clock,
    history: { addSource: () => {} },
    onError: (error) => errors.push(error),
  });
  const written = async () =>
    (await keyValues.list(COUNTS, undefined, 5_000)).map(({ key, value }) => ({ ...readCountKey(key), value }));
  return { counts, clock, errors, keyValues, written };
}

test('the name of an event is cut and made well-formed to fit into a key', async () => {
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
])('the key of the counter %j is read back', (counter) => {
  expect(readCountKey(countKey(counter))).toEqual(counter);
});

test('what is no key of a counter is not read as one', () => {
  expect(readCountKey('counts/s/2026-11-20T12')).toBeUndefined();
});

test('an hour is that of UTC', () => {
  expect(hourOf(Date.parse('2026-11-20T12:59:59.999Z'))).toBe('2026-11-20T12');
});
