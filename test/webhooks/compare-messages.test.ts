import { expect, test } from 'vitest';
import { newUuid } from '../../src/base/text/uuid.js';
import { compareMessages } from '../../src/webhooks/index.js';

const at = (timestamp: string, messageId?: string) => ({ timestamp, messageId });

test('compareMessages sorts messages by timestamp', () => {
  const [early, late] = [at('2026-11-20T12:00:00.000Z', 'b'), at('2026-11-20T12:00:00.001Z', 'a')];
  expect([late, early].sort(compareMessages)).toEqual([early, late]);
});

test('compareMessages keeps messages of one client with the same timestamp in the order of its calls', () => {
  const made = Array.from({ length: 1_000 }, () => at('2026-11-20T12:00:00.000Z', newUuid()));
  const mixed = made.toSorted((a, b) => a.messageId?.slice(-4).localeCompare(b.messageId?.slice(-4) ?? '') ?? 0);
  expect(mixed).not.toEqual(made);
  expect(mixed.sort(compareMessages)).toEqual(made);
});

test('compareMessages puts a message without an id before the others with its timestamp', () => {
  const [none, some] = [at('2026-11-20T12:00:00.000Z'), at('2026-11-20T12:00:00.000Z', 'a')];
  expect([some, none].sort(compareMessages)).toEqual([none, some]);
  expect(compareMessages(none, none)).toBe(0);
});
