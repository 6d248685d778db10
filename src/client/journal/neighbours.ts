import { join } from 'node:path';
import { type FileSystem, removeAll } from './file-system.js';
import { isAlive } from './owner-note.js';

/** A folder that gets its name when it is whole, and one whose messages have all ended: no client may take them. */
export const DRAFT_PREFIX = '.new-';
export const GONE_PREFIX = '.gone-';
/** The radix of the time in a name, by which names sort. */
export const TIME_RADIX = 36;

/** The process that made a draft of this age ended before it was done, in ms. */
const OLD_DRAFT_MS = 60 * 60_000;

/** Once in so many looks an owner asks one more than its neighbour. */
const LOOKS_PER_TURN = 8;

/** A folder that changes twice within this time may show the same time for both, in ms. */
const TICK_MS = 1_000;

export const isVisible = (name: string): boolean => !name.startsWith('.');

/** Stands in the name of a folder between the client that has written it and the one that has taken it over. */
const TAKEN = '@';

/** The client that sends the messages of a folder, by the folder's name: the one that has taken it over last, or else the one that writes it. */
export const ownerOf = (folder: string): string => folder.slice(folder.indexOf(TAKEN) + 1);

/** The name of a folder once a client has taken it over. */
export const takenName = (folder: string, owner: string): string => `${folder.split(TAKEN, 1)[0]}${TAKEN}${owner}`;

/** An owner that is not this client, and its folders. */
interface Other {
  readonly owner: string;
  readonly folders: string[];
}

/** The other owners of a journal, in the order in which one of them asks whether they live. */
export class Neighbours {
  readonly #fs: FileSystem;
  readonly #owners: string;
  readonly #name: string;
  #looks = 0;
  /** The others, when they were listed last. */
  #listed: { readonly mtimeMs: number; readonly at: number; readonly others: readonly Other[] } = {
    mtimeMs: 0,
    at: 0,
    others: [],
  };
  /** Owners that have ended, and whose folders may stay, as those of another source do. */
  readonly #ended = new Set<string>();

  constructor(fs: FileSystem, owners: string, name: string) {
    this.#fs = fs;
    this.#owners = owners;
    this.#name = name;
  }

  /**
   * The folders of dead owners that are seen in a look. The first look asks all. A later one asks those before this one, up to one that
   * lives: each that dies is asked by its neighbour, and a look costs the same however many live. That neighbour may be stopped, or have
   * another source: some looks ask one more, in turn.
   */
  async *dead(): AsyncGenerator<string> {
    const others = this.#others();
    const isFirst = this.#looks++ === 0;
    const turn = this.#looks / LOOKS_PER_TURN;
    const inTurn = Number.isInteger(turn) ? others[turn % others.length] : undefined;
    let isNext = true;
    for (const other of others) {
      if (!isFirst && !isNext && other !== inTurn) continue;
      if (await this.#isAlive(other.owner)) isNext = false;
      else yield* other.folders;
    }
  }

  /** An owner that has ended stays so, and is not asked again. */
  async #isAlive(owner: string): Promise<boolean> {
    if (this.#ended.has(owner)) return false;
    const lives = await isAlive(this.#fs, join(this.#owners, owner));
    if (!lives) this.#ended.add(owner);
    return lives;
  }

  /** Lists all others: those before this one, the nearest first, and then the rest from the newest. */
  #others(): readonly Other[] {
    const { mtimeMs } = this.#fs.statSync(this.#owners);
    if (mtimeMs === this.#listed.mtimeMs && mtimeMs < this.#listed.at - TICK_MS) return this.#listed.others;
    const at = Date.now();
    const all = this.#fs.readdirSync(this.#owners);
    for (const name of all.filter(isRubbish)) removeAll(this.#fs, join(this.#owners, name));
    const others = byOwner(all.filter((name) => isVisible(name) && ownerOf(name) !== this.#name));
    const next = others.findIndex(({ owner }) => owner < this.#name);
    if (next > 0) others.push(...others.splice(0, next));
    this.#listed = { mtimeMs, at, others };
    return others;
  }
}

/** Groups folders by their owners, the newest owner first. */
function byOwner(names: readonly string[]): Other[] {
  const others = new Map<string, Other>();
  for (const name of names) {
    const owner = ownerOf(name);
    const other = others.get(owner);
    if (other === undefined) others.set(owner, { owner, folders: [name] });
    else other.folders.push(name);
  }
  return [...others.values()].sort((a, b) => (a.owner < b.owner ? 1 : -1));
}

function isRubbish(name: string): boolean {
  if (name.startsWith(GONE_PREFIX)) return true;
  if (!name.startsWith(DRAFT_PREFIX)) return false;
  const madeAt = Number.parseInt(name.slice(DRAFT_PREFIX.length), TIME_RADIX);
  return Date.now() - madeAt > OLD_DRAFT_MS;
}
