/** The result of a request that was answered for good. */
export type Outcome =
  | { readonly verdict: 'delivered'; readonly status: number; readonly rejections: readonly Rejection[] }
  | {
      /** `split` is also a 2xx that refuses some of the messages and does not say which. */
      readonly verdict: 'split' | 'rejected';
      readonly status: number;
      /** The beginning of the answer, printable. */
      readonly answer: string;
      /** The messages that a 400 names as refused. */
      readonly rejections?: readonly Rejection[] | undefined;
      /** The likely cause and the cure, as a sentence. */
      readonly advice?: string | undefined;
    };

/** The meaning of an answer's status for the messages that were sent: the whole table, and nothing else decides. */
export type Verdict =
  /** The collector has them. */
  | 'delivered'
  /** The collector cannot take the batch now: send the same again later. */
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

/** One message of a batch that the collector refused while it took the others. */
export interface Rejection {
  /** Its place in the batch, from 0. */
  readonly index: number;
  /** Its id, where the collector gives it. */
  readonly messageId?: unknown;
  /** The collector's words: `MESSAGE_TOO_LARGE: …`. */
  readonly reason: string;
}

const MENTION = /rejected\\*"/;

/** Tells whether an answer says anything of messages that are refused. */
export const namesRejections = (body: string): boolean => MENTION.test(body);
