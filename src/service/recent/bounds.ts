/** How many recent deliveries of one destination are kept. The first bound that is reached holds. */
export interface KeepLimit {
  /** The most attempts. @default 500 */
  readonly deliveries?: number | undefined;
  /** The most bytes, with their messages and answers. @default 1_000_000 */
  readonly bytes?: number | undefined;
  /** How long, in milliseconds. @default 86_400_000, a day */
  readonly age?: number | undefined;
}

export interface KeepBounds {
  readonly attempts: number;
  readonly bytes: number;
  readonly ageMs: number;
}

/** Enough to see what goes on, and little enough for a Redis that holds it for hundreds of destinations. */
export const KEEP: KeepBounds = { attempts: 500, bytes: 1_000_000, ageMs: 24 * 60 * 60_000 };

const NOTHING: KeepBounds = { attempts: 0, bytes: 0, ageMs: 0 };

export function keepBounds(keep: 0 | KeepLimit | undefined): KeepBounds {
  if (keep === undefined) return KEEP;
  if (keep === 0) return NOTHING;
  return {
    attempts: keep.deliveries ?? KEEP.attempts,
    bytes: keep.bytes ?? KEEP.bytes,
    ageMs: keep.age ?? KEEP.ageMs,
  };
}
