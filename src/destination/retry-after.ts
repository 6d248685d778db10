/**
 * What a Retry-After header asks for, in milliseconds from `now`; undefined when it says nothing that can be read.
 * Source: RFC 9110, section 10.2.3: seconds, or a date.
 */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1_000, Number.MAX_SAFE_INTEGER);
  // Date.parse reads far more than HTTP dates, `-5` among it.
  const moment = /^[A-Za-z]{3,9}, /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(moment) ? undefined : Math.max(0, moment - now);
}
