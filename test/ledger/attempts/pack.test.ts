import { expect, test } from 'vitest';
import { pack, unpack } from '../../../src/ledger/attempts/pack.js';

const chunk = JSON.stringify(Array.from({ length: 500 }, (_, index) => ({ id: `m${index}`, text: 'ein Häkchen ✓' })));

test('a compressed text is much shorter, and the same after decompression', () => {
  const packed = pack(chunk);
  expect(packed.length).toBeLessThan(chunk.length / 3);
  expect(packed).toMatch(/^z:[A-Za-z0-9+/=]+$/);
  expect(unpack(packed)).toBe(chunk);
});

test('a short text is not compressed', () => {
  expect(pack('[1]')).toBe('[1]');
  expect(unpack('[1]')).toBe('[1]');
});
