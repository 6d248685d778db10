/** The result of a request that got a final response. */
export type Outcome =
  | { readonly verdict: 'delivered'; readonly status: number; readonly rejections: readonly NamedRejection[] }
  | {
      /** `split` also stands for a 2xx that refuses some messages without saying which. */
      readonly verdict: 'split' | 'rejected';
      readonly status: number;
      /** The beginning of the response, printable. */
      readonly answer: string;
      /** The messages that a 400 names as refused. */
      readonly rejections?: readonly NamedRejection[] | undefined;
      /** The likely cause and the remedy, as a sentence. */
      readonly advice?: string | undefined;
    };

/** What the status of a response means for the messages that were sent. Only this table decides that. */
export type ResponseVerdict =
  /** The collector has accepted the messages. */
  | 'delivered'
  /** The collector cannot accept the batch now: send it again later. */
  | 'retry'
  /** Something in the batch is wrong, or it is too large: send parts of it. */
  | 'split'
  /** The messages will never be accepted. */
  | 'rejected';

const RETRIED_4XX = new Set([408, 410, 425, 429, 460]);
const FINAL_5XX = new Set([501, 505, 511]);

export function classifyStatus(status: number): ResponseVerdict {
  if (status >= 200 && status < 300) return 'delivered';
  if (status === 400 || status === 413) return 'split';
  if (RETRIED_4XX.has(status)) return 'retry';
  if (status >= 500 && status < 600 && !FINAL_5XX.has(status)) return 'retry';
  return 'rejected';
}

/** A message of a batch that the collector refused although it accepted others. */
export interface NamedRejection {
  /** The message's index in the batch, from 0. */
  readonly index: number;
  /** The message's id, if the collector names it. */
  readonly messageId?: unknown;
  /** The collector's own text: `MESSAGE_TOO_LARGE: …`. */
  readonly reason: string;
}

/** The status of a failure at the top of a JSON object. Further down it may belong to an event that the collector echoes. */
const FAILURE = /^\s*\{[^[{]*"status(?:_?code)?"\s*:\s*"?[45]\d\d\b/i;

/** Returns true if the JSON of a response has the status of a failure, although the response itself is a success. */
export const namesFailure = (body: string): boolean => FAILURE.test(body);

const MENTION = /rejected\\*"/;

/** Returns true if a response mentions refused messages. */
export const namesRejections = (body: string): boolean => MENTION.test(body);
