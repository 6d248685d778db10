import { expect, test } from 'vitest';
import { readEvents, readTallies } from '../../../src/ledger/counts/read-counts.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { MINUTE, openCounts } from './support.js';

test('the events of the asked hours are listed by hour, newest first', async () => {
  const { ledger, keyValues, clock } = openCounts();
  for (const event of ['first', 'second', 'third']) {
    ledger.counts.received('s', 'track', event, false);
    await ledger.flush();
    await clock.pass(60 * MINUTE);
  }
  const eventsIn = async (hours: number) =>
    (await readEvents(keyValues, 's', hours, clock.now() - 1)).map(({ event }) => event);
  expect(await eventsIn(2)).toEqual(['third', 'second']);
  expect(await eventsIn(24)).toEqual(['third', 'second', 'first']);
});

test('an answer has at most 10,000 events', async () => {
  const { ledger, keyValues, clock } = openCounts();
  for (let hour = 0; hour < 11; hour++) {
    for (let number = 0; number < 1_000; number++) ledger.counts.received('s', 'track', `E${number}`, false);
    await ledger.flush();
    clock.freeze(60 * MINUTE);
  }
  expect(await readEvents(keyValues, 's', 24, clock.now() - 1)).toHaveLength(10_000);
});

test('a step in which nothing was counted has an empty tally', async () => {
  const asked = { subject: 'source', name: 's', range: '1h', now: 10_000 * MINUTE } as const;
  const steps = await readTallies(memoryStorage().keyValues, asked);
  expect(steps.map(({ at }) => at)).toEqual(Array.from({ length: 60 }, (_, index) => (9_941 + index) * MINUTE));
  expect(steps.every(({ tally }) => tally.isEmpty)).toBe(true);
});

test('an answer has at most 10,000 events, even if the last hour in it has more than fit', async () => {
  const { ledger, keyValues, clock } = openCounts();
  for (let hour = 0; hour < 12; hour++) {
    for (let number = 0; number < 900; number++) ledger.counts.received('s', 'track', `E${number}`, false);
    await ledger.flush();
    clock.freeze(60 * MINUTE);
  }
  expect(await readEvents(keyValues, 's', 24, clock.now() - 1)).toHaveLength(10_000);
});
