import { parseJson } from '../../base/text/decode.js';
import type { Clock } from '../../base/time/clock.js';
import { entriesOf, type KeyValueStore, pagesOf } from '../../store/key-value-store.js';
import type { ProcessValues } from '../process-values.js';

export interface ExamplesOptions {
  readonly keyValues: KeyValueStore;
  readonly values: ProcessValues;
  readonly clock: Pick<Clock, 'wall'>;
}

/** The time that one stored count covers, in ms. The next count of a kind has another key, so that the old one can be removed. */
const DAY_MS = 24 * 60 * 60_000;

/** How long a count is listed after it last changed, in ms. */
const KEEP_MS = 7 * DAY_MS;

/** The maximum number of kinds of a name that a process counts on their own. */
const MOST_KINDS = 100;

interface Latest<E> {
  count: number;
  /** In ms since 1970, as is `lastAt`. */
  readonly firstAt: number;
  lastAt: number;
  /** Makes the example. It is called only when the count is written, because most examples are replaced before that. */
  example: () => E;
}

/** The form in which a count is stored. */
interface Stored<E> extends Pick<Latest<E>, 'count' | 'firstAt' | 'lastAt'> {
  readonly example: E;
}

/** The counts of one kind, from all processes together. */
export interface Example<E> extends Stored<E> {
  readonly kind: string;
}

/** Counts what happens to a destination or source by kind, and keeps the latest example of each kind for a week. */
export class Examples<E> {
  readonly #options: ExamplesOptions;
  /** The beginning of all keys. The rest of a key is the name, the kind, the time and the process. */
  readonly #prefix: string;
  /** The kinds of this process by name. */
  readonly #latest = new Map<string, Map<string, Latest<E>>>();

  /** @param prefix a first path that no other module uses */
  constructor(prefix: string, options: ExamplesOptions) {
    this.#options = options;
    this.#prefix = prefix;
  }

  /** True if a kind of this name would be counted on its own, not with others. */
  hasRoomFor(name: string, kind: string): boolean {
    const kinds = this.#latest.get(name);
    return kinds === undefined || kinds.size < MOST_KINDS || kinds.has(kind);
  }

  /** @param kind a text without a slash */
  add(name: string, kind: string, example: () => E): void {
    const kinds = this.#latest.get(name) ?? new Map<string, Latest<E>>();
    this.#latest.set(name, kinds);
    const now = this.#options.clock.wall();
    const last = kinds.get(kind);
    const isOpen = last !== undefined && now < last.firstAt + DAY_MS;
    const latest = isOpen ? last : { count: 0, firstAt: now, lastAt: now, example };
    kinds.set(kind, latest);
    latest.count++;
    latest.lastAt = now;
    latest.example = example;
    this.#options.values.set(`${this.#prefixOf(name)}${kind}/${latest.firstAt}/`, () => encode(latest));
  }

  /** Reads what all processes have written. The kind that was counted last comes first. */
  async of(name: string): Promise<Example<E>[]> {
    const { keyValues, clock } = this.#options;
    const prefix = this.#prefixOf(name);
    const oldest = clock.wall() - KEEP_MS;
    const byKind = new Map<string, Stored<E>>();
    for await (const { key, value } of entriesOf(keyValues, prefix)) {
      const kind = key.slice(prefix.length).split('/', 1)[0] ?? '';
      const stored = decode<E>(value);
      if (stored !== undefined && stored.lastAt >= oldest) byKind.set(kind, together(byKind.get(kind), stored));
    }
    return Array.from(byKind, ([kind, stored]) => ({ kind, ...stored })).toSorted(
      (one, other) => other.lastAt - one.lastAt,
    );
  }

  /** Removes kinds that are too old, including those of names that are no longer configured. */
  async sweep(): Promise<void> {
    const { keyValues, clock } = this.#options;
    const oldest = clock.wall() - KEEP_MS;
    for (const kinds of this.#latest.values())
      for (const [kind, { lastAt }] of kinds) if (lastAt < oldest) kinds.delete(kind);
    for await (const entries of pagesOf(keyValues, this.#prefix)) {
      const old = entries.filter(({ value }) => (decode(value)?.lastAt ?? 0) < oldest);
      if (old.length > 0) await keyValues.write(old.map(({ key }) => ({ key, value: undefined })));
    }
  }

  #prefixOf(name: string): string {
    return `${this.#prefix}${encodeURIComponent(name)}/`;
  }
}

function encode<E>(latest: Latest<E>): string {
  const { count, firstAt, lastAt } = latest;
  const example = latest.example();
  // The function would keep alive everything that the example was made from, which may be large.
  latest.example = () => example;
  return JSON.stringify({ count, firstAt, lastAt, example } satisfies Stored<E>);
}

/** Parses what `encode` has written; undefined if it is damaged. */
const decode = <E>(value: string): Stored<E> | undefined => parseJson(value) as Stored<E> | undefined;

function together<E>(one: Stored<E> | undefined, other: Stored<E>): Stored<E> {
  if (one === undefined) return other;
  const latest = one.lastAt > other.lastAt ? one : other;
  return { ...latest, count: one.count + other.count, firstAt: Math.min(one.firstAt, other.firstAt) };
}
