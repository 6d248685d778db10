import { randomBytes } from 'node:crypto';
import type { Clock } from '../../clock.js';
import type { Rejection } from '../../collector/options.js';
import type { CollectedRequest } from '../../collector/request.js';
import { startInterval } from '../../interval.js';
import type { KeyValueStore } from '../../store/key-value-store.js';
import type { RejectionReport } from '../api/history-answers.js';
import { iso } from '../api/iso.js';
import { singleFlight } from '../single-flight.js';

export interface RejectionsOptions {
  readonly keyValues: KeyValueStore;
  readonly clock: Clock;
  onError(error: unknown): void;
}

/** Below it one entry for each source, code and process. */
const REJECTIONS = 'rejections/';

/** How often they are written, in ms. A process that is killed loses as much of them. */
const WRITE_MS = 5_000;

/** How long a reason is listed after its last rejection, in ms. */
const KEEP_MS = 7 * 24 * 60 * 60_000;

/** The most of what was sent that is kept, in characters. */
const LONGEST_RAW = 4_096;

/** More than all codes in all processes of a week. */
const MOST_ENTRIES = 1_000;

const MOST_CHANGES = 1_000;

/** A write key in the body of a request; the collector takes the key out of messages alone. */
const WRITE_KEY = /("writeKey"\s*:\s*)"(?:[^"\\]|\\.)*"?/g;

interface Latest {
  count: number;
  /** In ms since 1970. */
  lastAt: number;
  rejection: Rejection;
  client: string;
}

/** As it is written. */
interface Stored extends Pick<Latest, 'count' | 'lastAt'> {
  readonly example: RejectionReport['example'];
}

/** Counts what sources send that is rejected, by its code, and keeps the latest example of each. */
export class Rejections {
  readonly #options: RejectionsOptions;
  readonly #process = randomBytes(4).toString('hex');
  readonly #latest = new Map<string, Latest>();
  #unwritten = new Set<string>();
  readonly #stop: () => void;
  /** Resolves once everything counted so far is written, or could not be. */
  readonly flush: () => Promise<void>;

  constructor(options: RejectionsOptions) {
    const { clock, onError } = options;
    this.#options = options;
    this.flush = singleFlight(() => this.#write().catch(onError));
    this.#stop = startInterval({ clock, everyMs: WRITE_MS, act: this.flush, onError });
  }

  add(source: string, rejections: readonly Rejection[], { userAgent }: Pick<CollectedRequest, 'userAgent'>): void {
    const lastAt = this.#options.clock.wall();
    for (const rejection of rejections) {
      const key = `${prefixOf(source)}${rejection.code}/${this.#process}`;
      const count = (this.#latest.get(key)?.count ?? 0) + 1;
      this.#latest.set(key, { count, lastAt, rejection, client: userAgent ?? '' });
      this.#unwritten.add(key);
    }
  }

  /** What all processes counted, the reason of the latest rejection first. */
  async of(source: string): Promise<RejectionReport[]> {
    await this.flush();
    const { keyValues, clock } = this.#options;
    const prefix = prefixOf(source);
    const oldest = clock.wall() - KEEP_MS;
    const byCode = new Map<string, Stored>();
    for (const { key, value } of await keyValues.list(prefix, undefined, MOST_ENTRIES)) {
      const code = key.slice(prefix.length).split('/', 1)[0] ?? '';
      const stored = decode(value);
      if (stored.lastAt >= oldest) byCode.set(code, together(byCode.get(code), stored));
    }
    return [...byCode]
      .toSorted(([, one], [, other]) => other.lastAt - one.lastAt)
      .map(([code, { count, lastAt, example }]) => ({ code, count, lastAt: iso(lastAt), example }));
  }

  /** Removes rejections that are too old, also those of sources that the configuration no longer has. */
  async sweep(): Promise<void> {
    const { keyValues, clock } = this.#options;
    const oldest = clock.wall() - KEEP_MS;
    for (let after: string | undefined; ; ) {
      const entries = await keyValues.list(REJECTIONS, after, MOST_CHANGES);
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

  async #write(): Promise<void> {
    const keys = [...this.#unwritten];
    this.#unwritten = new Set();
    const changes = keys.flatMap((key) => {
      const latest = this.#latest.get(key);
      return latest === undefined ? [] : [{ key, value: encode(latest) }];
    });
    for (let from = 0; from < changes.length; from += MOST_CHANGES)
      await this.#options.keyValues.write(changes.slice(from, from + MOST_CHANGES));
  }
}

const prefixOf = (source: string): string => `${REJECTIONS}${encodeURIComponent(source)}/`;

function encode({ count, lastAt, rejection: { message: reason, raw }, client }: Latest): string {
  const shown = raw
    .slice(0, LONGEST_RAW)
    .replaceAll(WRITE_KEY, '$1"***"')
    .replaceAll(/\p{Surrogate}/gu, '\ufffd');
  const example = { reason, raw: raw.length > LONGEST_RAW ? `${shown}…` : shown, client };
  return JSON.stringify({ count, lastAt, example } satisfies Stored);
}

/** What `encode` has written. */
const decode = (value: string): Stored => JSON.parse(value) as Stored;

function together(one: Stored | undefined, other: Stored): Stored {
  if (one === undefined) return other;
  return { ...(one.lastAt > other.lastAt ? one : other), count: one.count + other.count };
}
