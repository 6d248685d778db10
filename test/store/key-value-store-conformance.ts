import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { KeyValueStore } from '../../src/store/key-value-store.js';
import type { Storage } from '../../src/store/storage.js';
import type { StorageUnderTest } from './storage-under-test.js';

/** Tests that every key-value store must pass. */
export function describeKeyValueStore({ name, lasts, setUp }: StorageUnderTest): void {
  describe(`the key-value store in ${name}`, () => {
    let open: () => Promise<Storage>;
    let opened: Storage[];
    let keyValues: KeyValueStore;
    const openOnce = async (): Promise<Storage> => {
      const storage = await open();
      opened.push(storage);
      return storage;
    };
    const put = (...keys: string[]) => keyValues.write(keys.map((key) => ({ key, value: `value of ${key}` })));
    const keysOf = async (prefix: string, after?: string, limit = 100): Promise<string[]> =>
      (await keyValues.list(prefix, after, limit)).map(({ key }) => key);

    beforeEach(async () => {
      opened = [];
      open = await setUp();
      keyValues = (await openOnce()).keyValues;
    });

    afterEach(async () => {
      for (const storage of opened) await storage.close();
    });

    test('values are returned in the order of the keys, and undefined for a missing key', async () => {
      await put('a/1', 'a/2');
      expect(await keyValues.get(['a/2', 'a/3', 'a/1'])).toEqual(['value of a/2', undefined, 'value of a/1']);
      expect(await keyValues.get([])).toEqual([]);
    });

    test.each([
      ['empty', ''],
      ['well-formed text', 'é \0 \u{1F600} \n'],
      ['long', 'x'.repeat(3_000_000)],
    ])('a value may be %s', async (_, value) => {
      await keyValues.write([{ key: 'a/1', value }]);
      expect(await keyValues.get(['a/1'])).toEqual([value]);
      expect(await keyValues.list('a/', undefined, 1)).toEqual([{ key: 'a/1', value }]);
    });

    test('writing a value replaces the one before', async () => {
      await put('a/1');
      await keyValues.write([{ key: 'a/1', value: 'new' }]);
      expect(await keyValues.list('a/', undefined, 10)).toEqual([{ key: 'a/1', value: 'new' }]);
    });

    test('a removed key does not exist', async () => {
      await put('a/1', 'a/2');
      await keyValues.write([
        { key: 'a/1', value: undefined },
        { key: 'a/none', value: undefined },
      ]);
      expect(await keyValues.get(['a/1'])).toEqual([undefined]);
      expect(await keysOf('a/')).toEqual(['a/2']);
    });

    test('entries with a prefix are listed in the order of the bytes of their keys', async () => {
      const keys = ['a/', 'a/1', 'a/10', 'a/1/x', 'a/2', 'a/\uffee', 'a/\u{1F600}'];
      await put(...keys.toReversed(), 'a', 'a.', 'a0', 'b/1');
      expect(await keysOf('a/')).toEqual(['a/', 'a/1', 'a/1/x', 'a/10', 'a/2', 'a/\uffee', 'a/\u{1F600}']);
    });

    test('a list continues after the key where it stopped, whether or not that key still exists', async () => {
      await put('a/1', 'a/2', 'a/3', 'a/4');
      expect(await keysOf('a/', undefined, 2)).toEqual(['a/1', 'a/2']);
      await keyValues.write([{ key: 'a/2', value: undefined }]);
      expect(await keysOf('a/', 'a/2', 1)).toEqual(['a/3']);
      expect(await keysOf('a/', 'a/2')).toEqual(['a/3', 'a/4']);
      expect(await keysOf('a/', 'a/4')).toEqual([]);
    });

    test('a prefix may have several segments that are separated by slashes', async () => {
      await put('counts/web/1', 'counts/web/2', 'counts/webshop/1');
      expect(await keysOf('counts/web/')).toEqual(['counts/web/1', 'counts/web/2']);
    });

    test('keys of 1,000 bytes are stored and distinguished', async () => {
      const long = [`a/${'é'.repeat(499)}`, `a/${'é'.repeat(498)}xx`, `a/${'é'.repeat(498)}xy`];
      await put(...long);
      expect(await keysOf('a/')).toEqual(long.toSorted());
      expect(await keyValues.get(long)).toEqual(long.map((key) => `value of ${key}`));
    });

    test('a thousand changes can be written at once', async () => {
      const keys = Array.from({ length: 1_000 }, (_, index) => `a/${index}`);
      await put(...keys);
      expect(await keysOf('a/', undefined, 2_000)).toEqual(keys.toSorted());
    });

    test('an empty list of changes is accepted', async () => {
      await keyValues.write([]);
      expect(await keyValues.writeIf({ key: 'a/1', value: undefined }, [])).toBe(true);
    });

    test('a conditional write happens only if its condition holds', async () => {
      const change = { key: 'a/2', value: 'x' };
      expect(await keyValues.writeIf({ key: 'a/1', value: 'yes' }, [change])).toBe(false);
      expect(await keyValues.get(['a/2'])).toEqual([undefined]);
      await keyValues.write([{ key: 'a/1', value: 'yes' }]);
      expect(await keyValues.writeIf({ key: 'a/1', value: undefined }, [change])).toBe(false);
      expect(await keyValues.writeIf({ key: 'a/1', value: 'yes' }, [change])).toBe(true);
      expect(await keyValues.get(['a/2'])).toEqual(['x']);
    });

    test('the condition may be that the key does not exist', async () => {
      const expected = { key: 'a/1', value: undefined };
      expect(await keyValues.writeIf(expected, [{ key: 'a/1', value: '' }])).toBe(true);
      expect(await keyValues.writeIf(expected, [{ key: 'a/1', value: 'x' }])).toBe(false);
      expect(await keyValues.get(['a/1'])).toEqual(['']);
    });

    test('only one of several writers with the same condition succeeds', async () => {
      const attempts = ['1', '2', '3', '4'].map((value) =>
        keyValues.writeIf({ key: 'a/1', value: undefined }, [{ key: 'a/1', value }]),
      );
      expect((await Promise.all(attempts)).filter(Boolean)).toHaveLength(1);
    });

    test('every key with a prefix is removed, however many there are, and no other', async () => {
      for (let start = 0; start < 5_000; start += 1_000) {
        await put(...Array.from({ length: 1_000 }, (_, index) => `m/x/${start + index}`));
      }
      await put('m/x', 'm/x0', 'm/w/1', 'm/y/1');
      await keyValues.removeAll('m/x/');
      expect(await keysOf('m/')).toEqual(['m/w/1', 'm/x', 'm/x0', 'm/y/1']);
    });

    if (lasts) {
      test('written values are still there when the storage is opened again', async () => {
        await put('a/1');
        await opened.pop()?.close();
        keyValues = (await openOnce()).keyValues;
        expect(await keyValues.get(['a/1'])).toEqual(['value of a/1']);
      });
    }
  });
}
