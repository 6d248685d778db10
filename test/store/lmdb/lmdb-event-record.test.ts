import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newEvent, type StoredEvent } from '../../../src/delivery/completion-rule.js';
import { EVENT_TYPES, isEventType } from '../../../src/protocol/field-table.js';
import { decodeEvent, encodeEvent, encodeId } from '../../../src/store/lmdb/lmdb-event-record.js';

const URLS = ['https://a.example/', 'https://b.example/', 'c'];
const known = {
  register: (url: string): number => URLS.indexOf(url),
  urlOf: (number: number): string => URLS[number] ?? 'none',
};
const more = { source: 'web', trace: 'a-trace', bytes: 600, user: 'a-user' };
const fresh = newEvent('m1', 'track', URLS.slice(0, 2), 5, more);

test.each<[string, StoredEvent]>([
  ['to which nothing happened', fresh],
  ['that says nothing of its origin and size', newEvent('m1', 'delete', URLS, 5)],
  ['for no URL', newEvent('m1', 'track', [], 5)],
  ['that is dead', { ...fresh, isDead: true }],
  ['behind another of the same millisecond', newEvent('m1', 'track', URLS, 5, { ...more, place: 5 + 3 / 1_024 })],
  ['that is ordered', { ...fresh, isOrdered: true }],
  ['that came after a deletion', { ...fresh, epoch: 7 }],
  ['that waits for another time', { ...fresh, urls: { c: { phase: 'pending', due: 6, history: [] } } }],
  [
    'that began anew',
    { ...fresh, urls: { [URLS[0] ?? '']: { phase: 'pending', due: 5, isReplay: true, history: [] } } },
  ],
  [
    'that waits at one URL and is dead at another',
    {
      ...fresh,
      isOrdered: true,
      urls: {
        c: { phase: 'pending', due: 7 + 1 / 1_024, history: [] },
        [URLS[0] ?? '']: {
          phase: 'dead',
          at: 9,
          reason: 'permanent',
          history: [{ at: 6, durationMs: 3, result: 'permanent', status: 400, answer: 'no' }],
        },
      },
    },
  ],
  [
    'that was tried',
    { ...fresh, urls: { c: { phase: 'retrying', due: 9, firstAttemptAt: 5, attempts: 1, history: [] } } },
  ],
])('an event %s is read as it was written', (_, event) => {
  const text = encodeEvent({ event, body: 7 }, known);
  expect(decodeEvent(text, 'm1', known)).toStrictEqual({ event, body: 7 });
});

test('an event of every type is read as it was written', () => {
  const read = EVENT_TYPES.filter(isEventType).map((type) => {
    const event = newEvent('m1', type, [], 5);
    return decodeEvent(encodeEvent({ event, body: 7 }, known), 'm1', known).event.type;
  });
  expect(read).toEqual(EVENT_TYPES);
});

test('an untried event takes few bytes', () => {
  expect(encodeEvent({ event: fresh, body: 7 }, known)).toBe('[7,"track",5,0,600,"web","a-user",0,0,"a-trace",0,1]');
});

test('an event that was tried takes only a few bytes more', () => {
  const attempt = { at: 6, durationMs: 3, result: 'server-error', status: 503 } as const;
  const retrying = { phase: 'retrying', due: 9, firstAttemptAt: 6, attempts: 1, history: [attempt] } as const;
  expect(encodeEvent({ event: { ...fresh, urls: { c: retrying } }, body: 7 }, known)).toBe(
    '[7,"track",5,0,600,"web","a-user",0,0,"a-trace",[2,"r",4,1,1,[1,3,503]]]',
  );
});

const UUID = '0198f9a0-3c1e-7abc-8def-0123456789ab';

/** Ids of every form, many of them almost a UUID in lower case. */
const id = fc.oneof(
  fc.uuid(),
  fc.uuid().map((uuid) => uuid.toUpperCase()),
  fc.string({ minLength: 1, unit: 'grapheme' }),
  fc.string({ minLength: 36, maxLength: 36, unit: fc.constantFrom(...'0123456789abcdef-') }),
  fc.constantFrom(
    ...[UUID.replace('a', 'g'), UUID.replaceAll('-', ''), `${UUID}\n`, ` ${UUID}`, UUID.slice(1), `//web/${UUID}`],
    ...[
      '00000000-0000-0000-0000-000000000000',
      'ffffffff-ffff-ffff-ffff-ffffffffffff',
      '\u00ff',
      '\ufffd',
      '\0',
      '\u{10ffff}',
    ],
  ),
);

test.each([
  ['in the first group', UUID.replace('0198f9a0', '0198f9a1')],
  ['in the second group', UUID.replace('3c1e', '3c1f')],
  ['in the third group', UUID.replace('7abc', '7abd')],
  ['in the fourth group', UUID.replace('8def', '8dee')],
  ['in the last group', UUID.replace('89ab', '89aa')],
  ['before it', `x${UUID}`],
  ['after it', `${UUID}x`],
])('an id that differs from a UUID %s has other bytes', (_, other) => {
  expect(encodeId(other)).not.toEqual(encodeId(UUID));
});

test('two ids never have the same bytes, even with a number after them', () => {
  const withNumber = (each: string): Buffer => Buffer.concat([encodeId(each), Buffer.of(0, 0, 0, 1)]);
  fc.assert(
    fc.property(id, id, (a, b) => {
      expect(withNumber(a).equals(withNumber(b))).toBe(a === b);
    }),
  );
});

test.each([
  ['a UUID in lower case', UUID, 17],
  ['a UUID of another version', '3f2504e0-4f89-11d3-9a0c-0305e82c3301', 17],
  ['a UUID in upper case', UUID.toUpperCase(), 36],
  ['any other id', 'order-1', 7],
])('%s takes few bytes', (_, each, bytes) => {
  expect(encodeId(each)).toHaveLength(bytes);
});
