/** The limits on what is kept of the attempts at all destinations together. */
export interface HistoryBounds {
  readonly bytes: number;
  readonly ageMs: number;
}

export const MAX_AGE_MS = 7 * 24 * 60 * 60_000;
