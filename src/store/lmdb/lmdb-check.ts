import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import {
  checkHeader,
  childrenIn,
  isMeta,
  type Leaf,
  leavesIn,
  META_PAGE_BYTES,
  NO_PAGE,
  overflowPagesOf,
  PAGE_HEADER_BYTES,
  PageDamage,
  readAt,
  type Snapshot,
  snapshotIn,
  type Tree,
  VERSION,
  versionOf,
  writtenBy,
} from './lmdb-pages.js';

/** After this many pages, other work gets a turn. */
const PAGES_A_TURN = 1_000;

/** The maximum number of pages that are checked. In a store of many gigabytes these hold the first gigabyte of entries. */
const MOST_PAGES = 262_144;

const DEEPEST = 32;

/** The maximum number of pages at the end of the file that may be missing although no list names them as free. */
const MOST_UNLISTED = 10_000n;

/**
 * Follows every page of the state that lmdb would continue from. lmdb maps the file into memory, so a page that is not what it
 * should be would end the process. Values are not checked. No process may write in the meantime.
 *
 * Reading every key with lmdb in another process would find less: lmdb skips some damaged pages silently, and reads no lists of
 * free pages. Of 135 damaged stores that ended or hung a process, failed, or lost entries, this alternative missed 27. This check
 * missed 4, in which an older, undamaged page replaced a newer one.
 *
 * @returns what is wrong, in words; undefined if nothing is
 * @throws the error of the system if the file cannot be read
 */
export async function findDamage(path: string): Promise<string | undefined> {
  const file = openSync(path, 'r');
  try {
    // A new store begins with an empty file, which lmdb fills.
    if (fstatSync(file).size === 0) return undefined;
    return await damageIn(file);
  } catch (error) {
    if (error instanceof PageDamage) return error.message;
    throw error;
  } finally {
    closeSync(file);
  }
}

/** If it is not known which state lmdb continues from, one undamaged state is enough. */
async function damageIn(file: number): Promise<string | undefined> {
  let first: string | undefined;
  for (const snapshot of snapshotsOf(file)) {
    try {
      await new FileCheck(file, snapshot).run();
      return undefined;
    } catch (error) {
      if (!(error instanceof PageDamage)) throw error;
      first ??= error.message;
    }
  }
  return first;
}

class FileCheck {
  readonly #file: number;
  readonly #snapshot: Snapshot;
  readonly #pages: bigint;
  readonly #seen: Uint8Array;
  #left = MOST_PAGES;
  #free = 0n;

  constructor(file: number, snapshot: Snapshot) {
    this.#file = file;
    this.#snapshot = snapshot;
    const { pageSize, lastPage } = this.#snapshot;
    const inFile = BigInt(Math.floor(fstatSync(file).size / pageSize));
    // The file may be shorter, because lmdb does not write free pages at the end.
    this.#pages = lastPage + 1n < inFile ? lastPage + 1n : inFile;
    this.#seen = new Uint8Array(Number(this.#pages));
  }

  /** @throws Damage */
  async run(): Promise<void> {
    const { free, main } = this.#snapshot;
    await this.#follow(free, (leaf, page) => this.#checkFree(leaf, page));
    const missing = this.#snapshot.lastPage + 1n - this.#pages;
    if (missing > this.#free + MOST_UNLISTED) throw new PageDamage(`${missing} pages are missing at its end`);
    const tables: Tree[] = [];
    await this.#follow(main, ({ tree }) => tree !== undefined && tables.push(tree));
    for (const table of tables) await this.#follow(table, refuseTable);
  }

  async #follow({ root, depth }: Tree, onLeaf: (leaf: Leaf, page: Buffer) => unknown): Promise<void> {
    if (root === NO_PAGE) return;
    if (depth < 1 || depth > DEEPEST) throw new PageDamage(`a table has the impossible depth ${depth}`);
    let numbers = [root];
    for (let level = 1; level < depth; level++) numbers = await this.#childrenOf(numbers);
    await this.#each(numbers, (page, number) => {
      for (const leaf of leavesIn(page, number)) {
        if (leaf.overflow !== undefined) this.#checkOverflow(leaf.overflow);
        onLeaf(leaf, page);
      }
    });
  }

  async #childrenOf(numbers: readonly bigint[]): Promise<bigint[]> {
    const children: bigint[] = [];
    await this.#each(numbers, (page, number) => {
      for (const child of childrenIn(page, number)) children.push(child);
    });
    if (children.length > Number(this.#pages)) throw new PageDamage('its tables name more pages than there are');
    return children;
  }

  /** Reads pages that only one place may refer to, in the order in which they are in the file. */
  async #each(numbers: readonly bigint[], act: (page: Buffer, number: bigint) => void): Promise<void> {
    const page = Buffer.allocUnsafe(this.#snapshot.pageSize);
    for (const [index, number] of BigUint64Array.from(numbers).sort().entries()) {
      if (this.#left-- <= 0) return;
      this.#claim(number, 1n);
      act(this.#read(number, page), number);
      if (index % PAGES_A_TURN === PAGES_A_TURN - 1) await setImmediate();
    }
  }

  #checkOverflow({ page: first, pages, bytes }: NonNullable<Leaf['overflow']>): void {
    const { pageSize } = this.#snapshot;
    const needed = Math.floor((PAGE_HEADER_BYTES - 1 + bytes) / pageSize) + 1;
    if (BigInt(needed) > pages) throw new PageDamage(`page ${first} has a value with too few pages`);
    this.#claim(first, pages);
    const head = this.#read(first);
    checkHeader(head, first, 'overflow');
    if (BigInt(overflowPagesOf(head)) < BigInt(needed))
      throw new PageDamage(`page ${first} has too few pages behind it`);
  }

  /**
   * Checks a list of free pages: its length, then page numbers. A negative entry gives the number of free pages that begin at the
   * next number.
   */
  #checkFree({ tree, overflow, start, end }: Leaf, page: Buffer): void {
    if (tree !== undefined) throw new PageDamage('a list of free pages is damaged');
    const list = overflow === undefined ? page.subarray(start, end) : this.#valueAt(overflow);
    const count = list.length < 8 ? -1n : list.readBigInt64LE(0);
    if (count < 0n || count * 8n + 8n > BigInt(list.length)) throw new PageDamage('a list of free pages is damaged');
    for (let at = 8, pages = 1n; at <= Number(count) * 8; at += 8) {
      const entry = list.readBigInt64LE(at);
      if (entry > 0n) {
        this.#mark(entry, pages);
        this.#free += pages;
      }
      pages = entry < 0n ? -entry : 1n;
    }
  }

  /** Refuses a page that two places refer to, even as a free one, because it would be overwritten. */
  #mark(number: bigint, pages: bigint): void {
    const { lastPage } = this.#snapshot;
    if (number < 2n || pages < 1n || number + pages > lastPage + 1n)
      throw new PageDamage(`page ${number} is named, and the last is ${lastPage}`);
    const [first, end] = [Number(number), Number(number + pages)];
    if (this.#seen.subarray(first, end).includes(1)) throw new PageDamage(`page ${number} is named twice`);
    this.#seen.fill(1, first, end);
  }

  #valueAt({ page, bytes }: NonNullable<Leaf['overflow']>): Buffer {
    return readAt(this.#file, Number(page) * this.#snapshot.pageSize + PAGE_HEADER_BYTES, bytes);
  }

  /** Records pages that only one place may refer to. */
  #claim(number: bigint, pages: bigint): void {
    this.#mark(number, pages);
    if (number + pages > this.#pages) throw new PageDamage(`it ends before page ${number + pages - 1n}`);
  }

  #read(number: bigint, into?: Buffer<ArrayBuffer>): Buffer {
    const { pageSize, transaction } = this.#snapshot;
    const page = readAt(this.#file, Number(number) * pageSize, pageSize, into);
    if (writtenBy(page) > transaction) throw new PageDamage(`page ${number} is from a transaction that never was`);
    return page;
  }
}

function refuseTable({ tree }: Leaf): void {
  if (tree !== undefined) throw new PageDamage('a table is in a table');
}

/**
 * Returns the state that lmdb continues from if no other process has the file open, or all states that are possible.
 *
 * @throws Damage
 */
function snapshotsOf(file: number): readonly Snapshot[] {
  const head = readAt(file, 0, META_PAGE_BYTES);
  if (!isMeta(head)) throw new PageDamage('it does not begin with a meta page');
  const version = versionOf(head);
  if (version !== VERSION)
    throw new PageDamage(`lmdb's own format in it is ${version}, and this version reads ${VERSION}`);
  const { pageSize } = snapshotIn(head.subarray(PAGE_HEADER_BYTES));
  if (pageSize < 512 || pageSize > 65_536 || (pageSize & (pageSize - 1)) !== 0)
    throw new PageDamage(`its pages have the impossible size ${pageSize}`);
  const second = readAt(file, pageSize, META_PAGE_BYTES);
  if (!isMeta(second) || versionOf(second) !== VERSION) throw new PageDamage('its second page is not a meta page');
  const stateIn = (page: Buffer): Snapshot => snapshotIn(page.subarray(PAGE_HEADER_BYTES));
  const [even, odd, flushed] = [stateIn(head), stateIn(second), stateIn(readAt(file, pageSize / 2, META_PAGE_BYTES))];
  const boot = thisBoot();
  const picked = boot === undefined ? [newerOf(even, odd), even, odd] : [pick(pick(even, odd, boot), flushed, boot)];
  if (picked.some((state) => state.pageSize !== pageSize))
    throw new PageDamage('its states have pages of different sizes');
  return picked;
}

const newerOf = (one: Snapshot, other: Snapshot): Snapshot => (one.transaction >= other.transaction ? one : other);

/**
 * Returns the state that lmdb would use. One that may not be on the disk is valid only until the machine restarts; after that,
 * the older state is used.
 */
function pick(one: Snapshot, other: Snapshot, boot: bigint): Snapshot {
  const newer = newerOf(one, other);
  if (other.transaction === 0n) return one;
  if (newer.isFlushed || (newer.boot !== 0n && newer.boot === boot)) return newer;
  return one.transaction > other.transaction ? other : one;
}

/** Returns the first digits of the id of this boot as a number, as lmdb reads it; undefined on systems other than Linux. */
function thisBoot(): bigint | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return BigInt(`0x${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').slice(0, 8)}`);
  } catch {
    return 0n;
  }
}
