import { join } from 'node:path';
import { type FileSystem, removeAll } from './file-system.js';
import { isAlive } from './owner-note.js';

/** A folder that gets its name when it is whole, and one whose messages have all ended: no client may take them. */
export const DRAFT_PREFIX = '.new-';
export const GONE_PREFIX = '.gone-';
/** Of the time in a name, by which names sort. */
export const TIME_RADIX = 36;

/** The process that made a draft of this age ended before it was done, in ms. */
const OLD_DRAFT_MS = 60 * 60_000;

/** In one of so many looks an owner asks one more than its neighbour. */
const LOOKS_PER_TURN = 8;

/** A folder that changes twice within this time may show the same time for both, in ms. */
const TICK_MS = 1_000;

export const isVisible = (name: string): boolean => !name.startsWith('.');

/** The other owners of a journal, in the order in which one of them asks whether they live. */
export class Neighbours {
  readonly #fs: FileSystem;
  readonly #owners: string;
  readonly #name: string;
  #looks = 0;
  /** The others, when they were listed last. */
  #listed: { readonly mtimeMs: number; readonly at: number; readonly names: readonly string[] } = {
    mtimeMs: 0,
    at: 0,
    names: [],
  };
  /** Dead owners of another source. */
  readonly #foreign = new Set<string>();

  constructor(fs: FileSystem, owners: string, name: string) {
    this.#fs = fs;
    this.#owners = owners;
    this.#name = name;
  }

  /** A dead owner's messages go to another source. */
  noteForeign(name: string): void {
    this.#foreign.add(name);
  }

  /**
   * The dead owners that are seen in a look. The first look asks all. A later one asks those before this one, up to one that lives:
   * each that dies is asked by its neighbour, and a look costs the same however many live. That neighbour may be stopped, or have
   * another source: some looks ask one more, in turn.
   */
  async *dead(): AsyncGenerator<string> {
    const others = this.#others();
    const isFirst = this.#looks++ === 0;
    const turn = this.#looks / LOOKS_PER_TURN;
    const inTurn = Number.isInteger(turn) ? others[turn % others.length] : undefined;
    let isNext = true;
    for (const name of others) {
      if (!isFirst && !isNext && name !== inTurn) continue;
      // What ended once stays so.
      if (this.#foreign.has(name) || !(await isAlive(this.#fs, join(this.#owners, name)))) yield name;
      else isNext = false;
    }
  }

  /** All others, from the one before this one down, and then from the newest. */
  #others(): readonly string[] {
    const { mtimeMs } = this.#fs.statSync(this.#owners);
    if (mtimeMs === this.#listed.mtimeMs && mtimeMs < this.#listed.at - TICK_MS) return this.#listed.names;
    const at = Date.now();
    const all = this.#fs.readdirSync(this.#owners).sort().reverse();
    for (const name of all.filter(isRubbish)) removeAll(this.#fs, join(this.#owners, name));
    const names = all.filter((name) => isVisible(name) && name !== this.#name);
    const next = names.findIndex((name) => name < this.#name);
    if (next > 0) names.push(...names.splice(0, next));
    this.#listed = { mtimeMs, at, names };
    return names;
  }
}

function isRubbish(name: string): boolean {
  if (name.startsWith(GONE_PREFIX)) return true;
  if (!name.startsWith(DRAFT_PREFIX)) return false;
  const madeAt = Number.parseInt(name.slice(DRAFT_PREFIX.length), TIME_RADIX);
  return Date.now() - madeAt > OLD_DRAFT_MS;
}
