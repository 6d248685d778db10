import type { Database } from 'lmdb';
import type { GroupCommit } from './group-commit.js';
import type { LmdbEnvironment } from './lmdb-environment.js';

/** The bodies that a transaction adds, holds and releases. */
interface BodyChanges {
  readonly numbers: Map<Uint8Array, number>;
  /** The new bodies by their numbers. */
  readonly fresh: Map<number, Uint8Array>;
  /** The change in the number of holders of each body. */
  readonly changes: Map<number, number>;
}

/**
 * The bodies of one folder. Each body is stored once under a number of its own, however many events hold it. The numbers grow, so
 * that bodies are stored in the order in which they arrived. The changes of a transaction are written when it ends.
 */
export class LmdbBodies {
  readonly #commits: GroupCommit;
  readonly #bodies: Database<Uint8Array, number>;
  /** The number of events that hold a body, if it is more than one. */
  readonly #holders: Database<number, number>;
  #next: number;

  constructor({ db, commits }: LmdbEnvironment) {
    this.#commits = commits;
    this.#bodies = db.openDB({ name: 'service/shared', encoding: 'binary' });
    this.#holders = db.openDB({ name: 'service/holders', encoding: 'json' });
    const [last = 0] = this.#bodies.getKeys({ reverse: true, limit: 1 });
    this.#next = last + 1;
  }

  get(number: number): Uint8Array | undefined {
    return this.#bodies.get(number);
  }

  /** Counts one more holder of the body, and returns its number. Within a transaction the same object is the same body. */
  hold(body: Uint8Array): number {
    const { numbers, fresh, changes } = this.#commits.gathered(this);
    let number = numbers.get(body);
    if (number === undefined) {
      number = this.#next++;
      numbers.set(body, number);
      fresh.set(number, body);
    }
    change(changes, number, 1);
    return number;
  }

  /** Counts one holder less. The body is removed with its last holder. */
  release(number: number): void {
    change(this.#commits.gathered(this).changes, number, -1);
  }

  begin(): BodyChanges {
    return { numbers: new Map(), fresh: new Map(), changes: new Map() };
  }

  end({ fresh, changes }: BodyChanges): void {
    for (const [number, change] of changes) this.#write(number, fresh.get(number), change);
  }

  /** @param body the body if it is new */
  #write(number: number, body: Uint8Array | undefined, change: number): void {
    const [bodies, holders] = [this.#bodies, this.#holders];
    const before = body === undefined ? (holders.get(number) ?? 1) : 0;
    const after = before + change;
    // A new number is the highest, so lmdb can append the body, which leaves no room in the page before it.
    if (body !== undefined && after > 0) bodies.putSync(number, body, { append: true });
    if (body === undefined && after === 0) bodies.remove(number);
    if (after > 1) holders.put(number, after);
    else if (before > 1) holders.remove(number);
  }
}

function change(changes: Map<number, number>, number: number, by: number): void {
  changes.set(number, (changes.get(number) ?? 0) + by);
}
