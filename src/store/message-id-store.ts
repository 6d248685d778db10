/**
 * What a claim found. `new`: the id is the caller's alone to store until `keep`, `release` or half a minute
 * later. `kept`: it was stored before. `claimed`: another caller is storing it now.
 */
export type Claim = 'new' | 'kept' | 'claimed';

/**
 * Which message ids of a source were taken, so that each is forwarded once, whatever process it comes to and however
 * often these start. An id is remembered for a day from when it was kept. Within one call an id stands once.
 */
export interface MessageIdStore {
  /** What each id is, in their order. Resolves once every other caller sees the claims; they need not outlive the process. */
  claim(source: string, ids: readonly string[], nowMs: number): Promise<Claim[]>;
  /** The ids are stored. Resolves once that would survive the machine losing power. */
  keep(source: string, ids: readonly string[], nowMs: number): Promise<void>;
  /** Storing failed; the ids are new again. */
  release(source: string, ids: readonly string[]): Promise<void>;
}

export const CLAIM_MS = 30_000;
export const KEEP_MS = 24 * 60 * 60_000;
