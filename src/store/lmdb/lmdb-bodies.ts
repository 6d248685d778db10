import type { Database } from 'lmdb';
import type { GroupCommit } from './group-commit.js';
import type { LmdbEnvironment } from './lmdb-environment.js';

/**
 * The bodies of one folder, each of which is there once, whoever holds it, under a number of its own. Numbers grow, so that bodies lie in the
 * order in which they came. What a transaction changes is written at its end.
 */
export class LmdbBodies {
  readonly #commits: GroupCommit;
  readonly #bodies: Database<Uint8Array, number>;
  /** The number of events that hold a body, where it is more than one. */
  readonly #holders: Database<number, number>;
  #next: number;
  /** The transaction to which the fields below belong. */
  #transaction: number | undefined;
  readonly #numbers = new Map<Uint8Array, number>();
  readonly #fresh = new Map<number, Uint8Array>();
  /** The change of the number of holders of each. */
  readonly #changes = new Map<number, number>();

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

  /** Notes one more who holds the body, and gives its number. Within a transaction the same object is the same body. */
  hold(body: Uint8Array): number {
    this.#begin();
    let number = this.#numbers.get(body);
    if (number === undefined) {
      number = this.#next++;
      this.#numbers.set(body, number);
      this.#fresh.set(number, body);
    }
    this.#change(number, 1);
    return number;
  }

  /** Notes one less: with the last who held it, the body goes. */
  release(number: number): void {
    this.#begin();
    this.#change(number, -1);
  }

  #change(number: number, by: number): void {
    this.#changes.set(number, (this.#changes.get(number) ?? 0) + by);
  }

  /** Forgets what a failed transaction would have written. */
  #begin(): void {
    const commits = this.#commits;
    if (this.#transaction === commits.transaction) return;
    this.#transaction = commits.transaction;
    this.#forget();
    commits.atEnd(() => this.#write());
  }

  #write(): void {
    for (const [number, change] of this.#changes) this.#writeOne(number, change);
    this.#forget();
  }

  #writeOne(number: number, change: number): void {
    const [bodies, holders] = [this.#bodies, this.#holders];
    const body = this.#fresh.get(number);
    const before = body === undefined ? (holders.get(number) ?? 1) : 0;
    const after = before + change;
    if (body !== undefined && after > 0) bodies.put(number, body);
    if (body === undefined && after === 0) bodies.remove(number);
    if (after > 1) holders.put(number, after);
    else if (before > 1) holders.remove(number);
  }

  #forget(): void {
    this.#numbers.clear();
    this.#fresh.clear();
    this.#changes.clear();
  }
}
