import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FingerprintSet, fingerprintsOf } from '../../src/collector/fingerprint-set.js';

/** Fingerprints that mostly belong in the same slot, at the end of the memory. */
const colliding = new Uint32Array([...Array(8).keys()].flatMap((n) => [0xff - (n >> 2), n, n * 7]));

test('a set holds the fingerprints that were added, and no other, even if they want the same slot', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(7)), (added) => {
      const set = new FingerprintSet();
      for (const print of added) set.add(colliding, print * 3);
      const found = [...Array(8).keys()].filter((print) => set.has(colliding, print * 3));
      expect(found).toEqual([...new Set(added)].sort((a, b) => a - b));
      expect(set.size).toBe(found.length);
    }),
  );
});

test('a set that has grown many times still holds all its fingerprints', () => {
  const count = 50_000;
  const prints = fingerprintsOf(
    's',
    Array.from({ length: 2 * count }, (_, n) => ({ messageId: String(n) })),
  );
  const set = new FingerprintSet();
  for (let n = 0; n < count; n++) set.add(prints, n * 3);
  const held = Array.from({ length: 2 * count }, (_, n) => n).filter((n) => set.has(prints, n * 3));
  expect(held).toEqual(Array.from({ length: count }, (_, n) => n));
  expect(set.size).toBe(count);
});
