/** What an answer's status means for the messages that were sent: the whole table, and nothing else decides. */
export type Verdict =
  /** The collector has them. */
  | 'delivered'
  /** Not now: send the same again later. */
  | 'retry'
  /** Something in there is wrong or it is too much: send parts of it. */
  | 'split'
  /** Never. */
  | 'rejected';

const RETRIED_4XX = new Set([408, 410, 425, 429, 460]);
const FINAL_5XX = new Set([501, 505, 511]);

export function classifyStatus(status: number): Verdict {
  if (status >= 200 && status < 300) return 'delivered';
  if (status === 400 || status === 413) return 'split';
  if (RETRIED_4XX.has(status)) return 'retry';
  if (status >= 500 && status < 600 && !FINAL_5XX.has(status)) return 'retry';
  return 'rejected';
}
