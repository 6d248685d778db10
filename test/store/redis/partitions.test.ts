import { Command } from 'ioredis';
import { expect, test } from 'vitest';
import { eventId, messageIn, sourcedId } from '../../../src/delivery/event-names.js';
import { partitionOf, partitionTags } from '../../../src/store/redis/partitions.js';

const slotOf = (key: string): number => new Command('get', [key]).getSlot() ?? 0;

test.each([1, 3, 16, 100])('%i partitions are spread evenly over the slots of a cluster', (count) => {
  const tags = partitionTags('shop', count, slotOf);
  const ranges = tags.map((tag) => Math.floor((slotOf(`{${tag}}:events`) * count) / 16_384));
  expect(ranges).toEqual(tags.map((_, index) => index));
});

test('partitions have the same tags in every process and every version', () => {
  expect(partitionTags('eventferry', 3, slotOf)).toMatchInlineSnapshot(`
    [
      "eventferry:p0.3",
      "eventferry:p1.1",
      "eventferry:p2.2",
    ]
  `);
  expect(['m1', 'm2', 'order-77'].map((text) => partitionOf(text, 16))).toMatchInlineSnapshot(`
    [
      12,
      10,
      11,
    ]
  `);
});

test('all messages with one id are in one partition, whatever their sources and the form of the id', () => {
  for (const id of ['m1', '//a/b', 'a/b', '50%', 'half \ud83d']) {
    const kept = [eventId(id, 'web'), sourcedId(id, 'web'), sourcedId(id, 'a/b'), sourcedId(id)];
    expect(new Set(kept.map(messageIn)).size).toBe(1);
  }
});

test('ids are distributed evenly over the partitions', () => {
  const counts = Array.from({ length: 16 }, () => 0);
  for (let index = 0; index < 16_000; index++) {
    const place = partitionOf(`m${index}`, 16);
    counts[place] = (counts[place] ?? 0) + 1;
  }
  expect(Math.min(...counts)).toBeGreaterThan(850);
  expect(Math.max(...counts)).toBeLessThan(1_150);
});
