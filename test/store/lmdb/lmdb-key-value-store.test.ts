import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lmdbStorage } from '../../../src/store/lmdb/lmdb-storage.js';
import { newFolder } from '../../cli/files.js';
import { describeKeyValueStore } from '../key-value-store-conformance.js';
import { lmdbUnderTest } from '../storage-under-test.js';

describeKeyValueStore(lmdbUnderTest);

test('a value with Base64 at its end, or with what only looks like it, is read as it was written', async () => {
  const { keyValues, close } = await opened();
  const base64 = fc
    .uint8Array({ minLength: 300, maxLength: 900 })
    .map((bytes) => Buffer.from(bytes).toString('base64'));
  const text = fc.oneof(fc.string(), fc.constantFrom('z:', 'a b\nz:', '"', '=', '\u00ff', '\u{10ffff}'));
  const value = fc.oneof(
    fc.tuple(text, base64, fc.constantFrom('', '', '=', 'A', '"', '\n')).map((parts) => parts.join('')),
    fc.string({ minLength: 490, maxLength: 510, unit: fc.constantFrom(...'Aa0+/=') }),
  );
  await fc.assert(
    fc.asyncProperty(value, async (each) => {
      const written = Buffer.from(each).toString();
      await keyValues.write([{ key: 'a', value: written }]);
      expect(await keyValues.get(['a'])).toEqual([written]);
      expect(await keyValues.list('', undefined, 1)).toEqual([{ key: 'a', value: written }]);
      expect(await keyValues.writeIf({ key: 'a', value: written }, [])).toBe(true);
    }),
    {
      numRuns: 50,
      examples: [[''], ['A'.repeat(500)], ['A'.repeat(501)], ['='.repeat(500)], [`${'A'.repeat(498)}B=`]],
    },
  );
  await close();
});

test('Base64 takes as many bytes as it stands for', async () => {
  const { path, keyValues, close } = await opened();
  const before = (await stat(join(path, 'data.mdb'))).size;
  const value = `z:${Buffer.alloc(6_000_000, 7).toString('base64')}`;
  await keyValues.write([{ key: 'a', value }]);
  const [kept] = await keyValues.get(['a']);
  expect(kept === value).toBe(true);
  await close();
  expect((await stat(join(path, 'data.mdb'))).size - before).toBeLessThan(6_100_000);
});

async function opened() {
  const path = await newFolder();
  const storage = await lmdbStorage({ path });
  return { path, keyValues: storage.keyValues, close: () => storage.close() };
}
