import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fingerprintsOf, IdTable } from '../../src/collector/id-table.js';

const change = fc.record({
  print: fc.nat(7),
  value: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 2 ** 32 - 1 })),
});

/** Fingerprints most of which want the same slot, at the end of the table. */
const colliding = new Uint32Array([...Array(8).keys()].flatMap((n) => [0xff - (n >> 2), n, n * 7]));

test('an id table holds what was set last and not deleted, even if fingerprints want the same slot', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
      const table = new IdTable();
      const model = new Map<number, number>();
      for (const { print, value } of changes) {
        if (value === 0) table.delete(colliding, print * 3);
        else table.set(colliding, print * 3, value);
        if (value === 0) model.delete(print);
        else model.set(print, value);
        const found = [...Array(8).keys()].map((each) => table.get(colliding, each * 3));
        expect(found).toEqual([...Array(8).keys()].map((each) => model.get(each) ?? 0));
        expect(table.size).toBe(model.size);
      }
    }),
    { numRuns: 500 },
  );
});

test('an id table marks every fingerprint that it holds as possible', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(7)), fc.array(fc.nat(7)), (held, deleted) => {
      const table = new IdTable();
      for (const print of held) table.set(colliding, print * 3, 1);
      for (const print of deleted) table.delete(colliding, print * 3);
      const marks = new Uint8Array(8);
      table.markPossible(colliding, marks);
      for (let print = 0; print < 8; print++) {
        if (table.get(colliding, print * 3) !== 0) expect(marks[print]).toBe(1);
      }
    }),
  );
});

test('an empty id table marks nothing as possible', () => {
  const marks = new Uint8Array(8);
  new IdTable().markPossible(colliding, marks);
  expect([...marks]).toEqual(Array(8).fill(0));
});

test('an id table that has grown many times still holds all its ids', () => {
  const count = 50_000;
  const prints = fingerprintsOf(
    's',
    Array.from({ length: count }, (_, n) => ({ messageId: String(n) })),
  );
  const table = new IdTable();
  for (let n = 0; n < count; n++) table.set(prints, n * 3, n + 1);
  for (let n = 0; n < count; n += 2) table.delete(prints, n * 3);
  const wrong = Array.from({ length: count }, (_, n) => n).filter(
    (n) => table.get(prints, n * 3) !== (n % 2 === 0 ? 0 : n + 1),
  );
  expect(wrong).toEqual([]);
  expect(table.size).toBe(count / 2);
});
