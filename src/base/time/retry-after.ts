/** The longest that a collector can make a client wait with one Retry-After: 5 minutes. */
export const LONGEST_RETRY_AFTER_MS = 5 * 60_000;

/**
 * Returns how long a Retry-After header orders to wait, in milliseconds from `nowMs`: it has seconds or an HTTP date (RFC 9110,
 * 10.2.3). It is at most `longestMs`, and undefined when there is no header or none that can be read.
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

// Date.parse alone would take almost anything: `-1`, `soon 7`. The oldest of the three formats names no zone and means GMT.
const HTTP_DATE = /^[A-Z][a-z]+,? .*\d\d:\d\d:\d\d( \d{4})?( GMT)?$/;

/** Reads an HTTP date as milliseconds since 1970; undefined when the text is no date. */
export function httpDateMs(header: string | undefined): number | undefined {
  const value = header?.trim() ?? '';
  const format = HTTP_DATE.exec(value);
  if (format === null) return undefined;
  const ms = Date.parse(format[2] === undefined ? `${value} GMT` : value);
  return Number.isNaN(ms) ? undefined : ms;
}
