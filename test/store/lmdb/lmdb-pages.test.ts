import { expect, test } from 'vitest';
import {
  checkHeader,
  childrenIn,
  isMeta,
  leavesIn,
  PageDamage,
  writtenBy,
} from '../../../src/store/lmdb/lmdb-pages.js';

const HEADER = 24;
const [BRANCH, LEAF, META] = [0x01, 0x02, 0x08];

/** A page of 128 bytes: its header, where its entries begin, and the entries. */
function pageOf(flags: number, entries: readonly Buffer[]): Buffer {
  const page = Buffer.alloc(128);
  page.writeBigUInt64LE(7n, 0);
  page.writeBigUInt64LE(42n, 8);
  page.writeUInt16LE(flags, 18);
  let at = page.length - HEADER;
  for (const [index, entry] of entries.entries()) {
    at -= entry.length;
    page.writeUInt16LE(at, HEADER + index * 2);
    entry.copy(page, HEADER + at);
  }
  page.writeUInt16LE(entries.length * 2, 20);
  page.writeUInt16LE(at, 22);
  return page;
}

/** An entry: the first four bytes, the next two, and a key of that length before the value. */
function entry(low: number, high: number, key: string, value = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32LE(low, 0);
  head.writeUInt16LE(high, 4);
  head.writeUInt16LE(key.length, 6);
  return Buffer.concat([head, Buffer.from(key), value]);
}

test('a branch has the numbers of the pages below it, of 48 bits', () => {
  const page = pageOf(BRANCH, [entry(3, 0, ''), entry(0xffff_ffff, 1, 'key')]);
  expect(childrenIn(page, 7n)).toEqual([3n, 0x1_ffff_ffffn]);
  expect(writtenBy(page)).toBe(42n);
});

test('a leaf has its values, where large ones lie, and the roots of other trees', () => {
  const value = Buffer.from('value');
  const place = Buffer.alloc(24);
  place.writeBigUInt64LE(9n, 0);
  place.writeBigUInt64LE(2n, 16);
  const page = pageOf(LEAF, [entry(5, 0, 'a', value), entry(5_000, 1, 'b', place)]);
  const [small, large] = leavesIn(page, 7n);
  expect(page.subarray(small?.start, small?.end).toString()).toBe('value');
  expect(large).toMatchObject({ tree: undefined, overflow: { page: 9n, pages: 2n, bytes: 5_000 } });
  const tree = Buffer.alloc(48);
  tree.writeUInt16LE(1, 6);
  tree.writeBigUInt64LE(11n, 40);
  expect(leavesIn(pageOf(LEAF, [entry(48, 2, 't', tree)]), 7n)).toMatchObject([{ tree: { depth: 1, root: 11n } }]);
});

const leaf = (): Buffer => pageOf(LEAF, [entry(5, 0, 'a', Buffer.from('value'))]);

test.each<[string, (page: Buffer) => void, string]>([
  ['another number', (page) => page.writeBigUInt64LE(8n, 0), 'is no leaf page'],
  ['another kind', (page) => page.writeUInt16LE(BRANCH, 18), 'is no leaf page'],
  ['bounds that cross', (page) => page.writeUInt16LE(200, 20), 'has impossible bounds'],
  ['an odd bound', (page) => page.writeUInt16LE(1, 20), 'has impossible bounds'],
  ['no entry', (page) => page.writeUInt16LE(0, 20), 'is empty'],
  ['an entry beyond its end', (page) => page.writeUInt16LE(100, HEADER), 'has an entry outside of it'],
  ['an entry among its bounds', (page) => page.writeUInt16LE(0, HEADER), 'has an entry outside of it'],
  ['a value that is too long', (page) => page.writeUInt32LE(99, HEADER + 90), 'has an entry that ends outside of it'],
  ['an unknown kind of entry', (page) => page.writeUInt16LE(8, HEADER + 94), 'has an entry of an unknown kind'],
  ['a table of five bytes', (page) => page.writeUInt16LE(2, HEADER + 94), 'has a table of an impossible size'],
])('a leaf page with %s is damaged', (_, damage, text) => {
  const page = leaf();
  damage(page);
  expect(() => leavesIn(page, 7n)).toThrow(new PageDamage(`page 7 ${text}`));
});

test('flags that lmdb may have written with a page are ignored', () => {
  const page = leaf();
  page.writeUInt16LE(LEAF | 0x4000, 18);
  expect(() => checkHeader(page, 7n, 'leaf')).not.toThrow();
});

test('a meta page is known by its flag and by what every version writes first', () => {
  const page = Buffer.alloc(64);
  page.writeUInt32LE(0xbeefc0de, HEADER);
  expect(isMeta(page)).toBe(false);
  page.writeUInt16LE(META, 18);
  expect(isMeta(page)).toBe(true);
  page.writeUInt32LE(1, HEADER);
  expect(isMeta(page)).toBe(false);
});
