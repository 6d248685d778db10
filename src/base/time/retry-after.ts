/** The longest wait that a collector can order with one Retry-After: 5 minutes. */
export const LONGEST_RETRY_AFTER_MS = 5 * 60_000;

/**
 * Returns the wait that a Retry-After header orders, in milliseconds from `nowMs`. The header holds seconds or an HTTP date (RFC
 * 9110, 10.2.3). The wait is at most `longestMs`, and undefined if the header is absent or cannot be read.
 */
export function retryAfterMs(
  header: string | undefined,
  nowMs: number,
  longestMs = LONGEST_RETRY_AFTER_MS,
): number | undefined {
  if (header === undefined) return undefined;
  const value = header.trim();
  const ms = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : (httpDateMs(value) ?? Number.NaN) - nowMs;
  if (Number.isNaN(ms)) return undefined;
  return Math.min(Math.max(ms, 0), longestMs);
}

// Date.parse alone would accept almost anything, such as `-1` and `soon 7`. The oldest of the three formats names no zone and
// means GMT.
const HTTP_DATE = /^[A-Z][a-z]+,? .*\d\d:\d\d:\d\d( \d{4})?( GMT)?$/;

/** Parses an HTTP date to milliseconds since 1970; undefined if the text is not a date. */
export function httpDateMs(header: string | undefined): number | undefined {
  const value = header?.trim() ?? '';
  const format = HTTP_DATE.exec(value);
  if (format === null) return undefined;
  const ms = Date.parse(format[2] === undefined ? `${value} GMT` : value);
  return Number.isNaN(ms) ? undefined : ms;
}
