import { expect, test } from 'vitest';
import { newUuid } from '../../src/base/text/uuid.js';
import { compareMessages } from '../../src/webhooks/index.js';

const at = (timestamp: string, messageId?: string) => ({ timestamp, messageId });

test('messages are in order of their timestamps', () => {
  const [early, late] = [at('2026-11-20T12:00:00.000Z', 'b'), at('2026-11-20T12:00:00.001Z', 'a')];
  expect([late, early].sort(compareMessages)).toEqual([early, late]);
});

test('messages of one timestamp that a client made one after another are in that order', () => {
  const made = Array.from({ length: 1_000 }, () => at('2026-11-20T12:00:00.000Z', newUuid()));
  const mixed = made.toSorted((a, b) => a.messageId?.slice(-4).localeCompare(b.messageId?.slice(-4) ?? '') ?? 0);
  expect(mixed).not.toEqual(made);
  expect(mixed.sort(compareMessages)).toEqual(made);
});

test('a message without an id comes before those of its timestamp, and equals another without', () => {
  const [none, some] = [at('2026-11-20T12:00:00.000Z'), at('2026-11-20T12:00:00.000Z', 'a')];
  expect([some, none].sort(compareMessages)).toEqual([none, some]);
  expect(compareMessages(none, none)).toBe(0);
});
