import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  isWhole,
  messagesOf,
  recordBytes,
  recordsIn,
  writeRecord,
} from '../../../src/client/journal/message-record.js';

function recordOf(sequence: number, messages: readonly string[]): Buffer {
  const bytes = Buffer.from(messages.join(','));
  const lengths = messages.map((message) => Buffer.byteLength(message));
  const record = Buffer.alloc(recordBytes(messages.length, bytes.length));
  expect(writeRecord(record, sequence, { bytes, lengths })).toBe(record.length);
  return record;
}

function readAll(buffer: Buffer, least = 0): (readonly [sequence: number, json: string | undefined])[] {
  return [...recordsIn(buffer, 0, least)].flatMap((record) =>
    [...messagesOf(buffer, record)].map(({ sequence, json }) => [sequence, json?.toString()] as const),
  );
}

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }).map((value) => JSON.stringify({ value }));
const records = fc.array(fc.array(text, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 5 });

function written(lists: readonly (readonly string[])[], first = 0) {
  let next = first;
  const parts = lists.map((messages) => {
    const record = recordOf(next, messages);
    next += messages.length;
    return record;
  });
  const expected = lists.flat().map((json, index) => [first + index, json] as const);
  return { buffer: Buffer.concat(parts), expected };
}

test('messages are read back from records as they were written, with their sequence numbers', () => {
  fc.assert(
    fc.property(records, (lists) => {
      const { buffer, expected } = written(lists);
      expect(readAll(buffer)).toEqual(expected);
    }),
  );
});

test('one byte of damage takes at most the messages of one record, and gives none that was never written', () => {
  fc.assert(
    fc.property(records, fc.nat(), fc.integer({ min: 1, max: 255 }), (lists, place, change) => {
      const { buffer, expected } = written(lists);
      const at = place % buffer.length;
      buffer[at] = (buffer[at] ?? 0) ^ change;
      const read = readAll(buffer).filter(([, json]) => json !== undefined);
      for (const message of read) expect(expected).toContainEqual(message);
      const most = Math.max(...lists.map((messages) => messages.length));
      expect(expected.length - read.length).toBeLessThanOrEqual(most);
    }),
  );
});

test('damage inside of one message leaves its neighbours in the same record readable', () => {
  const buffer = recordOf(7, ['{"a":1}', '{"b":2}', '{"c":3}']);
  buffer[buffer.indexOf('{"b":2}') + 5] = 0x33;
  expect(readAll(buffer)).toEqual([
    [7, '{"a":1}'],
    [8, undefined],
    [9, '{"c":3}'],
  ]);
});

test('a record that was cut off while it was written is passed over, or read as far as it goes', () => {
  fc.assert(
    fc.property(records, fc.nat(), (lists, place) => {
      const { buffer, expected } = written(lists);
      const read = readAll(buffer.subarray(0, place % buffer.length)).filter(([, json]) => json !== undefined);
      expect(read).toEqual(expected.slice(0, read.length));
    }),
  );
});

test('a record that was cut off anywhere is not whole, be the rest missing or old bytes of the file', () => {
  const record = recordOf(0, ['{"a":1}', '{"b":2}']);
  const wholeness = (buffer: Buffer) => [...recordsIn(buffer, 0, 0)].map((header) => isWhole(buffer, header));
  expect(wholeness(record)).toEqual([true]);
  const body = record.indexOf('{"a":1}');
  for (let end = body; end < record.length; end++) {
    expect(wholeness(record.subarray(0, end))).toEqual([false]);
    const overOld = Buffer.from(record);
    overOld.fill(0x20, end);
    expect(wholeness(overOld)).toEqual([false]);
  }
});

test('a record with a damaged message is whole, as it was written to its end', () => {
  const record = recordOf(0, ['{"a":1}', '{"b":2}']);
  record.write('9', record.indexOf('{"b":2}') + 5);
  expect([...recordsIn(record, 0, 0)].map((header) => isWhole(record, header))).toEqual([true]);
});

test('records of an earlier use of the same file are passed over', () => {
  const earlier = written([['{"old":1}'], ['{"old":2}'], ['{"old":3}']]).buffer;
  const { buffer, expected } = written([['{"new":1}']], 3);
  buffer.copy(earlier);
  expect(readAll(earlier, 3)).toEqual(expected);
});
