import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_BATCH_BYTES } from '../../../src/base/options/limits.js';
import { Batch, ENVELOPE_BYTES } from '../../../src/client/queue/batch.js';

const ID = '11111111-2222-4333-8444-555555555555';
const SENT_AT = '2026-11-20T12:00:00.000Z';

const batchOf = (maxBytes: number, maxMessages = 2_500) => new Batch(ID, { maxBytes, maxMessages });

/** JSON with exactly `bytes` bytes, all of them ASCII. */
const jsonOf = (bytes: number): string => JSON.stringify('x'.repeat(bytes - 2));

const parse = (body: Uint8Array) => JSON.parse(Buffer.from(body).toString());

test('the body contains the messages in their envelope', () => {
  const batch = batchOf(1_000);
  batch.add('{"a":1}');
  batch.add('{"b":"€"}');
  expect(parse(batch.body(0, 2, SENT_AT))).toEqual({
    batch: [{ a: 1 }, { b: '€' }],
    messageId: ID,
    sentAt: SENT_AT,
    context: { library: { name: 'eventferry', version: expect.any(String) } },
  });
});

test('an empty body consists of only the envelope', () => {
  expect(batchOf(1_000).body(0, 0, SENT_AT)).toHaveLength(ENVELOPE_BYTES);
});

const limit = ENVELOPE_BYTES + 100;

test.each([
  ['one under', 99, true],
  ['on it', 100, true],
  ['one over', 101, false],
])('a message with which the body of a batch is %s the byte limit is added only if it fits', (_, bytes, fits) => {
  expect(batchOf(limit).add(jsonOf(bytes)) !== undefined).toBe(fits);
});

test.each([
  ['one under', 48, true],
  ['on it', 49, true],
  ['one over', 50, false],
])(
  'a second message with which the body of a batch, comma included, is %s the byte limit is added only if it fits',
  (_, bytes, fits) => {
    const batch = batchOf(limit);
    batch.add(jsonOf(50));
    expect(batch.add(jsonOf(bytes)) !== undefined).toBe(fits);
  },
);

test.each([
  ['one under', `${'€'.repeat(32)}x`, true],
  ['on it', `${'€'.repeat(32)}xx`, true],
  ['one over', '€'.repeat(33), false],
])(
  'a message of multi-byte characters with which the body of a batch is %s the byte limit is added only if it fits',
  (_, text, fits) => {
    expect(batchOf(limit).add(JSON.stringify(text)) !== undefined).toBe(fits);
  },
);

test('the body of a batch may be exactly as long as the byte limit', () => {
  const batch = batchOf(limit);
  batch.add(jsonOf(50));
  batch.add(jsonOf(49));
  expect(batch.body(0, 2, SENT_AT)).toHaveLength(limit);
});

test('a message that does not fit leaves the batch unchanged', () => {
  const batch = batchOf(limit);
  batch.add(jsonOf(50));
  const before = Buffer.from(batch.body(0, 1, SENT_AT));
  batch.add(jsonOf(60));
  expect(Buffer.from(batch.body(0, 1, SENT_AT))).toEqual(before);
});

test('thousands of small messages fill a body to the last byte', () => {
  const batch = batchOf(MAX_BATCH_BYTES, Number.MAX_SAFE_INTEGER);
  let added = 0;
  while (batch.add('[1,2,3,45]') !== undefined) added++;
  expect(added).toBe(Math.floor((MAX_BATCH_BYTES - ENVELOPE_BYTES + 1) / 11));
  const body = batch.body(0, batch.count, SENT_AT);
  expect(body.length).toBeLessThanOrEqual(MAX_BATCH_BYTES);
  expect(body.length).toBeGreaterThan(MAX_BATCH_BYTES - 11);
  expect(parse(body).batch).toHaveLength(added);
});

test('a batch is full when it has the largest allowed number of messages', () => {
  const batch = batchOf(1_000, 2);
  batch.add('1');
  expect(batch.isFull).toBe(false);
  batch.add('2');
  expect(batch.isFull).toBe(true);
});

test('a second body of the same batch differs only in sentAt', () => {
  const batch = batchOf(1_000);
  batch.add('{"a":1}');
  const first = parse(batch.body(0, 1, SENT_AT));
  const second = parse(batch.body(0, 1, '2026-11-20T12:00:07.000Z'));
  expect(second).toEqual({ ...first, sentAt: '2026-11-20T12:00:07.000Z' });
});

test('a batch with a row of an import has no sentAt, as a whole and in parts, and counts its bytes accordingly', () => {
  const batch = batchOf(1_000);
  batch.add('{"a":1}');
  batch.noteImported();
  batch.add('{"b":2}');
  for (const body of [
    batch.body(0, 2, SENT_AT),
    batch.body(1, 2, SENT_AT),
    batch.bodyAround(Buffer.from('{}'), SENT_AT),
  ]) {
    expect(Object.keys(parse(body))).toEqual(['batch', 'messageId', 'context']);
  }
  expect(batch.body(0, 2, SENT_AT)).toHaveLength(batch.bytes);
});

const jsonValues = fc.array(fc.json({ maxDepth: 2 }), { minLength: 1, maxLength: 40 });

test('the body of any part of a batch contains its messages, and their bytes add up', () => {
  fc.assert(
    fc.property(jsonValues, fc.nat(), fc.nat(), fc.boolean(), (jsons, a, b, trims) => {
      const batch = batchOf(MAX_BATCH_BYTES);
      for (const json of jsons) expect(batch.add(json)).toBe(Buffer.byteLength(json));
      if (trims) batch.trim();
      const [from = 0, to = 0] = [a % (jsons.length + 1), b % (jsons.length + 1)].sort((x, y) => x - y);
      const expected = jsons.slice(from, to);
      const body = batch.body(from, to, SENT_AT);
      if (from < to) expect(parse(body).batch).toEqual(expected.map((json) => JSON.parse(json)));
      expect(batch.bytesOf(from, to)).toBe(expected.reduce((sum, json) => sum + Buffer.byteLength(json), 0));
      expect(batch.bytes).toBe(batch.body(0, jsons.length, SENT_AT).length);
      for (let index = 0; index < jsons.length; index++) {
        expect(batch.message(index)).toEqual(JSON.parse(jsons[index] ?? ''));
      }
    }),
  );
});

test('a message that is added to a batch never exceeds the limit, and is refused only if it would', () => {
  fc.assert(
    fc.property(fc.integer({ min: ENVELOPE_BYTES, max: ENVELOPE_BYTES + 2_000 }), jsonValues, (maxBytes, jsons) => {
      const batch = batchOf(maxBytes);
      let length = ENVELOPE_BYTES;
      for (const json of jsons) {
        const grown = length + Buffer.byteLength(json) + (batch.count === 0 ? 0 : 1);
        const fits = grown <= maxBytes;
        expect(batch.add(json) !== undefined).toBe(fits);
        if (fits) length = grown;
        expect(batch.bytes).toBe(length);
      }
    }),
  );
});

test('a batch that reuses the memory of an ended one contains only its own messages', () => {
  const over = new Batch(ID, { maxBytes: 1_000, maxMessages: 10 }, 1_000);
  over.add('{"old":1}');
  const batch = new Batch(ID, { maxBytes: 1_000, maxMessages: 10 }, 1_000, over);
  batch.add('{"new":1}');
  const body = batch.body(0, 1, SENT_AT);
  expect(parse(body).batch).toEqual([{ new: 1 }]);
  expect(body.buffer.byteLength).toBe(1_000);
  expect(over.isLoaded).toBe(false);
});

test('a batch allocates memory if that of the ended one is too small', () => {
  const over = new Batch(ID, { maxBytes: 100_000, maxMessages: 10 });
  const batch = new Batch(ID, { maxBytes: 100_000, maxMessages: 10 }, 50_000, over);
  batch.add(jsonOf(40_000));
  expect(parse(batch.body(0, 1, SENT_AT)).batch).toEqual(['x'.repeat(39_998)]);
});

test('`wasSentOnce` is true if exactly one request was made with the bytes of the batch', () => {
  const batch = batchOf(1_000);
  batch.add('{"n":1}');
  expect(batch.wasSentOnce).toBe(false);
  batch.body(0, 1, SENT_AT);
  expect(batch.wasSentOnce).toBe(true);
  batch.body(0, 1, SENT_AT);
  expect(batch.wasSentOnce).toBe(false);
});

test('a batch has no messages while it is unloaded, and is unchanged when it is loaded again', () => {
  const batch = batchOf(limit);
  for (const json of ['{"a":1}', '{"b":"€"}', '3']) batch.add(json);
  const before = Buffer.from(batch.body(0, 3, SENT_AT));
  const copies = [0, 1, 2].map((index) => batch.copyOf(index));
  batch.unload();
  expect([batch.isLoaded, batch.message(1)]).toEqual([false, {}]);
  expect(batch.load(copies)).toBe(0);
  expect([batch.isLoaded, batch.message(1)]).toEqual([true, { b: '€' }]);
  expect(Buffer.from(batch.body(0, 3, SENT_AT))).toEqual(before);
});

test('load() returns by how many bytes the messages have become longer', () => {
  const batch = batchOf(limit);
  for (const json of ['1', '2']) batch.add(json);
  batch.unload();
  expect(batch.load([Buffer.from('1'), Buffer.from('"22"')])).toBe(3);
});

test('a batch whose messages are not in memory throws instead of making an empty body', () => {
  const batch = batchOf(10_000);
  for (const n of [1, 2]) batch.add(JSON.stringify({ n }));
  batch.unload();
  for (const [from, to] of [
    [0, 2],
    [1, 2],
  ] as const)
    expect(() => batch.body(from, to, SENT_AT)).toThrow('without its messages');
  batch.load([Buffer.from('{"n":1}'), Buffer.from('{"n":2}')]);
  expect(String(batch.body(1, 2, SENT_AT))).toContain('[{"n":2}]');
});
