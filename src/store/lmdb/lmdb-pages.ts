import { readSync } from 'node:fs';

// The layout of lmdb's data file, version 2, as `mdb.c` of the package lmdb 3 has it on machines of 64 bits, little-endian.

const MAGIC = 0xbeefc0de;
export const VERSION = 2;
export const PAGE_HEADER_BYTES = 24;
const META_BYTES = 144;
const NODE_HEADER_BYTES = 8;
const DB_BYTES = 48;
const OVERFLOW_BYTES = 24;

const PAGE_FLAGS = { branch: 0x01, leaf: 0x02, overflow: 0x04, meta: 0x08 } as const;
/** Flags of a page in memory, which may have been written with it. */
const PASSING_FLAGS = 0xe000;
const NODE_FLAGS = { big: 0x01, tree: 0x02 } as const;
/** The snapshot may not be on the disk. */
const IS_UNFLUSHED = 0x1000;

/** Stands for the root of a tree without pages. */
export const NO_PAGE = 2n ** 64n - 1n;

/** A tree of keys and values. */
export interface Tree {
  readonly depth: number;
  readonly root: bigint;
}

/** The state of all trees after one transaction. */
export interface Snapshot {
  readonly pageSize: number;
  readonly transaction: bigint;
  readonly lastPage: bigint;
  readonly free: Tree;
  readonly main: Tree;
  readonly isFlushed: boolean;
  /** The first 32 bits of the id that Linux gives to each boot. */
  readonly boot: bigint;
}

/** Thrown when something is not as lmdb would have written it. The message says what. */
export class PageDamage extends Error {
  override readonly name = 'Damage';
}

/** One entry of a leaf. */
export interface Leaf {
  readonly tree: Tree | undefined;
  /** The page of a value that has no room in the leaf. */
  readonly overflow: { readonly page: bigint; readonly pages: bigint; readonly bytes: number } | undefined;
  /** The offset of the value in the leaf. */
  readonly start: number;
  readonly end: number;
}

/** @throws Damage if the file ends before that */
export function readAt(file: number, position: number, bytes: number, into = Buffer.allocUnsafe(bytes)): Buffer {
  const read = readSync(file, into, 0, bytes, position);
  if (read < bytes) throw new PageDamage(`it ends at byte ${position + read}, before its time`);
  return into;
}

/** Returns true for a meta page, which every version begins with the same bytes. */
export const isMeta = (page: Buffer): boolean =>
  (page.readUInt16LE(18) & PAGE_FLAGS.meta) !== 0 && page.readUInt32LE(PAGE_HEADER_BYTES) === MAGIC;

export const versionOf = (page: Buffer): number => page.readUInt32LE(PAGE_HEADER_BYTES + 4) & 0xffff;

export const META_PAGE_BYTES = PAGE_HEADER_BYTES + META_BYTES;

/** @param meta the bytes after the header of the page */
export function snapshotIn(meta: Buffer): Snapshot {
  return {
    pageSize: meta.readUInt32LE(24),
    transaction: meta.readBigUInt64LE(128),
    lastPage: meta.readBigUInt64LE(120),
    free: treeAt(meta, 24),
    main: treeAt(meta, 24 + DB_BYTES),
    isFlushed: (meta.readUInt16LE(28) & IS_UNFLUSHED) === 0,
    boot: meta.readBigUInt64LE(136),
  };
}

const treeAt = (buffer: Buffer, at: number): Tree => ({
  depth: buffer.readUInt16LE(at + 6),
  root: buffer.readBigUInt64LE(at + 40),
});

/** Returns the pages below a page. @throws Damage */
export const childrenIn = (page: Buffer, number: bigint): bigint[] =>
  nodesIn(page, number, 'branch').map((at) => childAt(page, at, number));

/** Returns the entries of a leaf. @throws Damage */
export const leavesIn = (page: Buffer, number: bigint): Leaf[] =>
  nodesIn(page, number, 'leaf').map((at) => leafAt(page, at, number));

/** Returns the offsets of the page's entries, each of which begins within it. */
function nodesIn(page: Buffer, number: bigint, kind: 'branch' | 'leaf'): number[] {
  checkHeader(page, number, kind);
  const [lower, upper] = [page.readUInt16LE(20), page.readUInt16LE(22)];
  const room = page.length - PAGE_HEADER_BYTES;
  if (lower > upper || upper > room || lower % 2 !== 0) throw new PageDamage(`page ${number} has impossible bounds`);
  if (lower === 0 || (kind === 'branch' && lower < 4)) throw new PageDamage(`page ${number} is empty`);
  const nodes: number[] = [];
  for (let index = 0; index < lower; index += 2) {
    const at = page.readUInt16LE(PAGE_HEADER_BYTES + index);
    if (at < upper || at + NODE_HEADER_BYTES > room) throw new PageDamage(`page ${number} has an entry outside of it`);
    nodes.push(PAGE_HEADER_BYTES + at);
  }
  return nodes;
}

/** @throws Damage */
export function checkHeader(page: Buffer, number: bigint, kind: 'branch' | 'leaf' | 'overflow'): void {
  if (page.readBigUInt64LE(0) !== number || (page.readUInt16LE(18) & ~PASSING_FLAGS) !== PAGE_FLAGS[kind])
    throw new PageDamage(`page ${number} is no ${kind} page`);
}

/** Returns the transaction that wrote the page last. */
export const writtenBy = (page: Buffer): bigint => page.readBigUInt64LE(8);

/** Returns the number of pages that a value takes. */
export const overflowPagesOf = (page: Buffer): number => page.readUInt32LE(20);

function childAt(page: Buffer, at: number, number: bigint): bigint {
  checkWithin(page, at + NODE_HEADER_BYTES + page.readUInt16LE(at + 6), number);
  return BigInt(page.readUInt32LE(at)) | (BigInt(page.readUInt16LE(at + 4)) << 32n);
}

function leafAt(page: Buffer, at: number, number: bigint): Leaf {
  const bytes = page.readUInt32LE(at);
  const flags = page.readUInt16LE(at + 4);
  const start = at + NODE_HEADER_BYTES + page.readUInt16LE(at + 6);
  const isBig = flags === NODE_FLAGS.big;
  const isTree = flags === NODE_FLAGS.tree;
  if (flags !== 0 && !isBig && !isTree) throw new PageDamage(`page ${number} has an entry of an unknown kind`);
  if (isTree && bytes !== DB_BYTES) throw new PageDamage(`page ${number} has a table of an impossible size`);
  const end = start + (isBig ? OVERFLOW_BYTES : bytes);
  checkWithin(page, end, number);
  const overflow = isBig
    ? { page: page.readBigUInt64LE(start), pages: page.readBigUInt64LE(start + 16), bytes }
    : undefined;
  return { tree: isTree ? treeAt(page, start) : undefined, overflow, start, end };
}

function checkWithin(page: Buffer, end: number, number: bigint): void {
  if (end > page.length) throw new PageDamage(`page ${number} has an entry that ends outside of it`);
}
