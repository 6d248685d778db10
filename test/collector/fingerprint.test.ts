import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FINGERPRINT_WORDS, fingerprintsOf } from '../../src/collector/fingerprint-set.js';
import { anyText } from '../support/any-text.js';

const messages = (ids: readonly string[]) => ids.map((messageId) => ({ messageId }));

/** Returns each fingerprint as an array of its words. */
function printsOf(source: string, ids: readonly string[]): number[][] {
  const prints = fingerprintsOf(source, messages(ids));
  return ids.map((_, index) => [...prints.subarray(index * FINGERPRINT_WORDS, (index + 1) * FINGERPRINT_WORDS)]);
}

test('an id has the same fingerprint at any position in a batch', () => {
  fc.assert(
    fc.property(fc.array(anyText()), fc.string(), (others, id) => {
      expect(printsOf('s', [...others, id]).at(-1)).toEqual(printsOf('s', [id])[0]);
    }),
  );
});

test('different ids have fingerprints that differ in every word', () => {
  fc.assert(
    fc.property(anyText(), anyText(), (one, other) => {
      fc.pre(one !== other);
      const [a = [], b = []] = printsOf('s', [one, other]);
      expect(a.filter((word, index) => word === b[index])).toEqual([]);
    }),
  );
});

test('the same id has a different fingerprint in another source', () => {
  expect(printsOf('website', ['a'])).not.toEqual(printsOf('app', ['a']));
});

const COUNT = 100_000;

test.each([
  ['numbers', (n: number) => String(n)],
  ['numbers after a long common prefix', (n: number) => `${'x'.repeat(40)}-${n}`],
  ['random UUIDs', () => randomUUID()],
  ['repeated characters', (n: number) => '\0'.repeat(n % 300) + Math.floor(n / 300)],
])('fingerprints of ids that are %s are spread as by chance, in each word', (_, idOf) => {
  const prints = fingerprintsOf('s', messages(Array.from({ length: COUNT }, (__, n) => idOf(n))));
  for (let word = 0; word < FINGERPRINT_WORDS; word++) {
    const words = Array.from({ length: COUNT }, (__, n) => prints[n * FINGERPRINT_WORDS + word] ?? 0);
    // Among this many 32-bit numbers, 1.2 are expected to occur twice.
    expect(COUNT - new Set(words).size).toBeLessThan(15);
    const buckets = new Array<number>(64).fill(0);
    for (const each of words) buckets[each & 63] = (buckets[each & 63] ?? 0) + 1;
    // Each is expected to contain 1,562, with a standard deviation of 39.
    expect(Math.min(...buckets)).toBeGreaterThan(1_250);
  }
});
