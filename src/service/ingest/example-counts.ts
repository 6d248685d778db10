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

/** The interval in ms at which counts are written. A killed process loses the last of them. */
const WRITE_MS = 5_000;

/** How long a kind is listed after it was last counted, in ms. */
const KEEP_MS = 7 * 24 * 60 * 60_000;

/** More than the kinds that all processes together can count in a week. */
const MOST_ENTRIES = 1_000;

/** The maximum number of entries that one write removes. */
const MOST_REMOVED = 1_000;

interface Latest<E> {
  count: number;
  /** In ms since 1970. */
  lastAt: number;
  /** Makes the example. It is called only when the count is written, because most examples are replaced before that. */
  example: () => E;
}

/** The form in which a count is stored. */
interface Stored<E> extends Pick<Latest<E>, 'count' | 'lastAt'> {
  readonly example: E;
}

/** The counts of one kind, from all processes together. */
export interface ExampleCount<E> extends Stored<E> {
  readonly kind: string;
}

/** Counts the messages of sources by kind, and keeps the latest example of each kind for a week. */
export class ExampleCounts<E> {
  readonly #options: ExampleCountsOptions;
  /** The beginning of all keys. The rest of a key is the source, the kind and the process. */
  readonly #prefix: string;
  readonly #process = randomBytes(4).toString('hex');
  readonly #latest = new Map<string, Latest<E>>();
  #unwritten = new Map<string, Latest<E>>();
  readonly #stop: () => void;
  /** Resolves when everything counted so far is written, or the write has failed. */
  readonly flush: () => Promise<void>;

  constructor(prefix: string, options: ExampleCountsOptions) {
    const { clock, onError } = options;
    this.#options = options;
    this.#prefix = prefix;
    this.flush = nextFlight(() => this.#write().catch(onError));
    this.#stop = startInterval({ clock, everyMs: WRITE_MS, act: this.flush, onError });
  }

  /** @param kind a text without a slash; the caller limits how many kinds there are */
  add(source: string, kind: string, example: () => E): void {
    const key = `${this.#prefixOf(source)}${kind}/${this.#process}`;
    const count = (this.#latest.get(key)?.count ?? 0) + 1;
    const latest = { count, lastAt: this.#options.clock.wall(), example };
    this.#latest.set(key, latest);
    this.#unwritten.set(key, latest);
  }

  /** Reads the counts of all processes. The kind that was counted last comes first. */
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

  /** Removes kinds that are too old, including those of sources that are no longer configured. */
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
      // Each value is a total, so writing some of them again changes nothing.
      this.#unwritten = new Map([...writing, ...this.#unwritten]);
      throw error;
    }
  }
}

function encode<E>(latest: Latest<E>): string {
  const { count, lastAt } = latest;
  const example = latest.example();
  // The function would keep alive everything that the example was made from, which may be large.
  latest.example = () => example;
  return JSON.stringify({ count, lastAt, example } satisfies Stored<E>);
}

/** Parses what `encode` has written. */
const decode = <E>(value: string): Stored<E> => JSON.parse(value) as Stored<E>;

function together<E>(one: Stored<E> | undefined, other: Stored<E>): Stored<E> {
  if (one === undefined) return other;
  return { ...(one.lastAt > other.lastAt ? one : other), count: one.count + other.count };
}
