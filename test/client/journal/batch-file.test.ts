import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contentOf, noteOf, type Piece, recordsBytes, writeMessages } from '../../../src/client/journal/batch-file.js';

/** Returns the records of messages, beginning at a position. */
function records(texts: readonly string[], first = 0): Buffer {
  const messages = texts.map((text) => Buffer.from(text));
  const bytes = Buffer.from(texts.join(','));
  const target = Buffer.alloc(recordsBytes(texts.length, bytes.length));
  return target.subarray(
    0,
    writeMessages(
      target,
      first,
      bytes,
      messages.map(({ length }) => length),
    ),
  );
}

const read = (bytes: Buffer) =>
  contentOf(bytes).messages.map(({ index, json }) => (json === undefined ? index : String(json)));

const texts = ['{"n":"one"}', '{"n":"zwei"}', '{"n":"três ✓"}'];

test('messages of several writes are read in order, without those that a note marks as ended', () => {
  const bytes = Buffer.concat([records(texts), noteOf(3, [0, 1]), records(['{"n":4}'], 3)]);
  expect(read(bytes)).toEqual([texts[2], '{"n":4}']);
  expect(contentOf(bytes)).toMatchObject({ hasDamagedNote: false, count: 4, end: bytes.length });
});

test('a file that is cut off at any byte loses only the messages after that byte, and does not count as damaged', () => {
  const whole = records(texts);
  for (let length = 0; length <= whole.length; length++) {
    const left = texts.filter((_, index) => records(texts.slice(0, index + 1)).length <= length);
    expect(read(whole.subarray(0, length))).toEqual(left);
  }
});

test('a note that a kill cut off at any byte is ignored', () => {
  const [messages, note] = [records(texts), noteOf(3, [0])];
  for (let length = 1; length < note.length; length++) {
    const content = contentOf(Buffer.concat([messages, note.subarray(0, length)]));
    expect([content.messages.length, content.hasDamagedNote, content.end]).toEqual([3, false, messages.length]);
  }
});

test('with a few wrong bytes anywhere in a file, each message is read as written or reported, and at most two are lost', () => {
  const whole = records(texts);
  const change = fc.record({ at: fc.nat(whole.length - 1), bytes: fc.uint8Array({ minLength: 1, maxLength: 6 }) });
  fc.assert(
    fc.property(change, ({ at, bytes }) => {
      const damaged = Buffer.from(whole);
      damaged.set(bytes.subarray(0, whole.length - at), at);
      const found = contentOf(damaged).messages;
      if (damaged.equals(whole)) return;
      for (const { index, json } of found) if (json !== undefined) expect(String(json)).toBe(texts[index]);
      // No message is missing.
      expect(found.map(({ index }) => index)).toEqual([0, 1, 2]);
      expect(found.filter(({ json }) => json === undefined).length).toBeLessThanOrEqual(2);
    }),
    { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 500) },
  );
});

test('a damaged note is reported, and every message is still read', () => {
  const bytes = Buffer.concat([records(texts), noteOf(3, [0]), records(['{}'], 3)]);
  for (const at of [5, 22]) {
    const damaged = Buffer.from(bytes);
    damaged.writeUInt8(damaged.readUInt8(records(texts).length + at) ^ 1, records(texts).length + at);
    expect([read(damaged), contentOf(damaged).hasDamagedNote]).toEqual([[...texts, '{}'], true]);
  }
});

/** Returns a copy of a file in which pieces are overwritten, up to a number of bytes in each. */
function erased(bytes: Buffer, pieces: readonly Piece[], most = Number.POSITIVE_INFINITY): Buffer {
  const after = Buffer.from(bytes);
  for (const piece of pieces) after.fill(' ', piece.at, piece.at + Math.min(piece.bytes.length, most));
  return after;
}

test('a file is split into waiting messages, ended messages, and damaged or cut-off bytes', () => {
  const note = noteOf(3, [0]);
  note.writeUInt8(note.readUInt8(16) ^ 1, 16);
  const whole = Buffer.concat([records(texts), noteOf(3, [0]), note, records(['{}'], 3)]);
  const bytes = Buffer.concat([whole, records(['{"n":5}'], 4).subarray(0, -1)]);
  const { messages, over, rest } = contentOf(bytes);
  expect([messages, over].map((pieces) => pieces.map(({ index }) => index))).toEqual([[1, 2, 3], [0]]);
  expect(rest).toEqual([
    { at: bytes.indexOf(note), bytes: note },
    { at: whole.length, bytes: bytes.subarray(whole.length) },
  ]);
  const after = erased(bytes, [...over, ...rest, ...messages.slice(0, 1)]);
  expect(after.toString()).not.toMatch(/one|zwei|"n":5/);
  expect(read(after)).toEqual([texts[2], '{}']);
  expect(contentOf(after)).toMatchObject({ hasDamagedNote: false, over: [], rest: [] });
});

test('an erasure that is interrupted at any byte damages no message that stays', () => {
  const bytes = records(texts);
  const [, meant] = contentOf(bytes).messages;
  if (meant === undefined) throw new Error('no message');
  for (let done = 0; done <= meant.bytes.length; done++) {
    const found = read(erased(bytes, [meant], done));
    expect([found[0], found.at(-1)]).toEqual([texts[0], texts[2]]);
  }
});

test('a note can mark several separate ranges of messages as ended', () => {
  expect(read(Buffer.concat([records(texts), noteOf(3, [0, 2])]))).toEqual([texts[1]]);
});
