import type { Clock } from '../../clock.js';
import type { NotAdmitted } from '../../collector/options.js';
import type { Source } from '../../collector/source.js';
import type { RateLimit } from '../config/config.js';
import type { Limited } from '../routing/routes.js';
import { type Bucket, fullBucket, refill, take, waitMs } from './token-bucket.js';

export interface AdmissionOptions {
  readonly clock: Clock;
  /** Whether a source has as much waiting as it may. */
  isFull(source: string): boolean;
  /** All that limits what comes with the source's key. */
  limitsOf(source: Source): readonly Limited[];
}

/** How many requests of a source were refused, and why. */
export type Refused = Record<'rate_limited' | 'overloaded', number>;

/** When to come again while much waits, in seconds. */
const OVERLOADED_SECONDS = 5;

/** Says who may send now: not those who send faster than they may, nor those of whom much waits to be stored. */
export class Admission {
  /** By source, since the start. */
  readonly refused = new Map<string, Refused>();
  readonly #options: AdmissionOptions;
  readonly #buckets = new Map<string, Bucket>();

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /** Asked with 0 messages while their number is not known, which takes none. */
  admit(source: Source, messages: number): NotAdmitted | undefined {
    const reason = this.#overload(source) ?? this.#excess(source, messages);
    if (reason !== undefined) this.#count(source.name, reason.code);
    return reason;
  }

  #overload({ name }: Source) {
    if (!this.#options.isFull(name)) return undefined;
    const message = 'Much of this source waits to be stored';
    return { code: 'overloaded', message, retryAfter: OVERLOADED_SECONDS } as const;
  }

  /** Takes what is sent from every bucket, or from none. */
  #excess(source: Source, messages: number) {
    const limits = this.#options.limitsOf(source);
    if (limits.length === 0) return undefined;
    const now = this.#options.clock.now();
    const held = limits.map(({ id, limit }) => ({ id, limit, bucket: this.#bucketOf(id, limit, now) }));
    const longest = Math.max(...held.map(({ bucket, limit }) => waitMs(bucket, limit, Math.max(1, messages))));
    if (longest > 0) {
      const message = 'This source or write key sends more messages than it may';
      return { code: 'rate_limited', message, retryAfter: longest / 1_000 } as const;
    }
    for (const { id, bucket } of held) this.#buckets.set(id, take(bucket, messages));
    return undefined;
  }

  #bucketOf(id: string, limit: RateLimit, now: number): Bucket {
    const bucket = this.#buckets.get(id);
    return bucket === undefined ? fullBucket(limit, now) : refill(bucket, limit, now);
  }

  #count(source: string, code: keyof Refused): void {
    const refused = this.refused.get(source) ?? { rate_limited: 0, overloaded: 0 };
    refused[code]++;
    this.refused.set(source, refused);
  }
}
