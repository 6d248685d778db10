/** Formats a time as every answer does: ISO 8601 in UTC with milliseconds. */
export const iso = (ms: number): string => new Date(ms).toISOString();

export const isoOr = (ms: number | undefined): string | null => (ms === undefined ? null : iso(ms));
