/** ISO 8601 in UTC with milliseconds, as every time in an answer. */
export const iso = (ms: number): string => new Date(ms).toISOString();

export const isoOr = (ms: number | undefined): string | null => (ms === undefined ? null : iso(ms));
