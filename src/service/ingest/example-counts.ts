import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/time/clock.js';
import { startInterval } from '../../base/time/interval.js';
import { type KeyValueStore, writeAll } from '../../store/key-value-store.js';
import { nextFlight } from '../turns.js';

export interface ExampleCountsOptions {
  readonly keyValues: KeyValueStore;
  readonly clock: Clock;
  onError(error: unknown): void;
}

/** Counts are written this often, in ms. A killed process loses the last of them. */
const WRITE_MS = 5_000;

/** A kind is listed for this long after its last count, in ms. */
const KEEP_MS = 7 * 24 * 60 * 60_000;

/** All processes together have fewer kinds in a week. */
const MOST_ENTRIES = 1_000;

/** One write removes no more entries than this. */
const MOST_REMOVED = 1_000;

interface Latest<E> {
  count: number;
  /** In ms since 1970. */
  lastAt: number;
  /** An example is made when it is written, as most are replaced before. */
  example: () => E;
}

/** The form in which a count is stored. */
interface Stored<E> extends Pick<Latest<E>, 'count' | 'lastAt'> {
  readonly example: E;
}

/** The counts of one kind, of all processes. */
export interface ExampleCount<E> extends Stored<E> {
  readonly kind: string;
}

/** Counts what sources send, by its kind, and keeps the latest example of each for a week. */
export class ExampleCounts<E> {
  readonly #options: ExampleCountsOptions;
  /** Begins all keys, which end in the source, the kind and the process. */
  readonly #prefix: string;
  readonly #process = randomBytes(4).toString('hex');
  readonly #latest = new Map<string, Latest<E>>();
  #unwritten = new Map<string, Latest<E>>();
  readonly #stop: () => void;
  /** Resolves once everything counted so far is written, or could not be. */
  readonly flush: () => Promise<void>;

  constructor(prefix: string, options: ExampleCountsOptions) {
    const { clock, onError } = options;
    this.#options = options;
    this.#prefix = prefix;
    this.flush = nextFlight(() => this.#write().catch(onError));
    this.#stop = startInterval({ clock, everyMs: WRITE_MS, act: this.flush, onError });
  }

  /** @param kind without a slash; the caller bounds how many there are */
  add(source: string, kind: string, example: () => E): void {
    const key = `${this.#prefixOf(source)}${kind}/${this.#process}`;
    const count = (this.#latest.get(key)?.count ?? 0) + 1;
    const latest = { count, lastAt: this.#options.clock.wall(), example };
    this.#latest.set(key, latest);
    this.#unwritten.set(key, latest);
  }

  /** Reads the counts of all processes, the latest kind first. */
  async of(source: string): Promise<ExampleCount<E>[]> {
    await this.flush();
    const { keyValues, clock } = this.#options;
    const prefix = this.#prefixOf(source);
    const oldest = clock.wall() - KEEP_MS;
    const byKind = new Map<string, Stored<E>>();
    for (const { key, value } of await keyValues.list(prefix, undefined, MOST_ENTRIES)) {
      const kind = key.slice(prefix.length).split('/', 1)[0] ?? '';
      const stored = decode<E>(value);
      if (stored.lastAt >= oldest) byKind.set(kind, together(byKind.get(kind), stored));
    }
    return Array.from(byKind, ([kind, stored]) => ({ kind, ...stored })).toSorted(
      (one, other) => other.lastAt - one.lastAt,
    );
  }

  /** Removes kinds that are too old, also those of sources that the configuration no longer has. */
  async sweep(): Promise<void> {
    const { keyValues, clock } = this.#options;
    const oldest = clock.wall() - KEEP_MS;
    for (let after: string | undefined; ; ) {
      const entries = await keyValues.list(this.#prefix, after, MOST_REMOVED);
      const old = entries.filter(({ value }) => decode(value).lastAt < oldest);
      if (old.length > 0) await keyValues.write(old.map(({ key }) => ({ key, value: undefined })));
      after = entries.at(-1)?.key;
      if (after === undefined) return;
    }
  }

  async close(): Promise<void> {
    this.#stop();
    await this.flush();
  }

  #prefixOf(source: string): string {
    return `${this.#prefix}${encodeURIComponent(source)}/`;
  }

  async #write(): Promise<void> {
    const writing = this.#unwritten;
    this.#unwritten = new Map();
    const changes = Array.from(writing, ([key, latest]) => ({ key, value: encode(latest) }));
    try {
      await writeAll(this.#options.keyValues, changes);
    } catch (error) {
      // Each is its whole count, so to write some of them again changes nothing.
      this.#unwritten = new Map([...writing, ...this.#unwritten]);
      throw error;
    }
  }
}

function encode<E>(latest: Latest<E>): string {
  const { count, lastAt } = latest;
  const example = latest.example();
  // The function would hold everything from which it made the example, which may be large.
  latest.example = () => example;
  return JSON.stringify({ count, lastAt, example } satisfies Stored<E>);
}

/** Reads what `encode` has written. */
const decode = <E>(value: string): Stored<E> => JSON.parse(value) as Stored<E>;

function together<E>(one: Stored<E> | undefined, other: Stored<E>): Stored<E> {
  if (one === undefined) return other;
  return { ...(one.lastAt > other.lastAt ? one : other), count: one.count + other.count };
}
