import type { RateLimit } from '../config/service-config.js';

/** The state of a token bucket at one moment. */
export interface Bucket {
  /** Below 0 after a batch with more messages than the bucket holds. */
  readonly tokens: number;
  /** In ms. */
  readonly at: number;
}

export const fullBucket = ({ burst }: RateLimit, now: number): Bucket => ({ tokens: burst, at: now });

/** Returns the bucket as it is now. A clock that was set back adds nothing. */
export function refill({ tokens, at }: Bucket, { messagesPerSecond, burst }: RateLimit, now: number): Bucket {
  const gained = (Math.max(0, now - at) / 1_000) * messagesPerSecond;
  return { tokens: Math.min(burst, tokens + gained), at: now };
}

/**
 * Returns in how many ms this many messages may be sent; 0 means now. A batch larger than the bucket may be sent when the bucket
 * is full, and later batches wait until it is paid back: otherwise it could never be sent.
 */
export function waitMs({ tokens }: Bucket, { messagesPerSecond, burst }: RateLimit, count: number): number {
  return (Math.max(0, Math.min(count, burst) - tokens) / messagesPerSecond) * 1_000;
}

export const take = ({ tokens, at }: Bucket, count: number): Bucket => ({ tokens: tokens - count, at });
