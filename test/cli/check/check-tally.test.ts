import { expect, test } from 'vitest';
import { ViolationTally } from '../../../src/cli/check/check-tally.js';

test('a tally counts violations of one kind together, the most frequent first', () => {
  const tally = new ViolationTally();
  const [one, other] = [
    { event: 'A', path: 'properties.a', reason: 'type' },
    { event: 'B', path: 'event', reason: 'unknown_event' },
  ];
  for (const each of [one, other, other]) tally.add(each);
  expect(tally.counts()).toEqual([
    { ...other, count: 2 },
    { ...one, count: 1 },
  ]);
  expect(tally.total).toBe(3);
});

test('after the first thousand names, a tally counts further names only by reason', () => {
  const tally = new ViolationTally();
  for (let index = 0; index < 5_000; index++)
    tally.add({ event: `Event ${index}`, path: 'event', reason: index % 2 === 0 ? 'unknown_event' : 'type' });
  expect(tally.total).toBe(5_000);
  expect(tally.counts()).toHaveLength(1_002);
  expect(tally.counts().slice(0, 2)).toEqual([
    { event: '(other)', path: '', reason: 'unknown_event', count: 2_000 },
    { event: '(other)', path: '', reason: 'type', count: 2_000 },
  ]);
});
