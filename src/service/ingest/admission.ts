import type { Clock } from '../../base/time/clock.js';
import type { NotAdmitted } from '../../collector/collector-options.js';
import type { Source } from '../../collector/find-source.js';
import type { RateLimit } from '../config/service-config.js';
import { limitsOf } from '../routing/message-routes.js';
import type { Ingest } from './ingest.js';
import { type Bucket, fullBucket, refill, take, waitMs } from './token-bucket.js';

/** The number of refused requests of a source, by reason. */
export type Refused = Record<'rate_limited' | 'overloaded', number>;

/** The Retry-After in seconds while too many messages wait. */
const OVERLOADED_SECONDS = 5;

/** Refuses messages of sources that send too fast, or that have too many messages waiting to be stored. */
export class Admission {
  /** The refused requests since the start, by source. */
  readonly refused = new Map<string, Refused>();
  readonly #clock: Clock;
  readonly #ingest: Pick<Ingest, 'isFull'>;
  readonly #buckets = new Map<string, Bucket>();

  constructor(clock: Clock, ingest: Pick<Ingest, 'isFull'>) {
    this.#clock = clock;
    this.#ingest = ingest;
  }

  /** Decides whether messages may be accepted. With 0 messages (number not yet known), it takes nothing from the limits. */
  admit(source: Source, messages: number): NotAdmitted | undefined {
    const reason = this.#overload(source) ?? this.#excess(source, messages);
    if (reason !== undefined) this.#count(source.name, reason.code);
    return reason;
  }

  #overload({ name }: Source) {
    if (!this.#ingest.isFull(name)) return undefined;
    const message = 'Too many messages of this source wait to be stored';
    return { code: 'overloaded', message, retryAfter: OVERLOADED_SECONDS } as const;
  }

  /** Takes the messages from every limit, or from none if one of them is exceeded. */
  #excess(source: Source, messages: number) {
    const limits = limitsOf(source);
    if (limits.length === 0) return undefined;
    const now = this.#clock.now();
    const held = limits.map(({ id, limit }) => ({ id, limit, bucket: this.#bucketOf(id, limit, now) }));
    const longest = Math.max(...held.map(({ bucket, limit }) => waitMs(bucket, limit, Math.max(1, messages))));
    if (longest > 0) {
      const message = 'This source or write key is beyond its rate limit';
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
