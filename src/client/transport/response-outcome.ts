import { excerpt } from '../../base/text/printable.js';

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

const MENTION = /rejected\\*"|"status(_?code)?"\s*:\s*"?[45]\d\d/i;
const LIST = /"rejected"\s*:/g;

/** Tells whether an answer says anything of messages that are refused: in a list, or by a status for each message. */
export const namesRejections = (body: string): boolean => MENTION.test(body);

/**
 * The messages that an answer names as refused: `{ "success": true, "rejected": [{ index, messageId, code, message }] }`.
 * None when the answer says nothing of the kind. Undefined when it says that some are refused and not which: it was cut, is broken,
 * names no places, or says it in another shape.
 */
export function rejectionsOf(body: string, isTruncated = false): readonly Rejection[] | undefined {
  if (isTruncated) return undefined;
  // Almost every answer: not worth parsing.
  if (!namesRejections(body) || PAGE.test(body)) return [];
  try {
    let lists = 0;
    const answer: unknown = JSON.parse(body, (key, value) => {
      if (key !== 'rejected') return value;
      lists++;
      return isNothing(value) ? undefined : value;
    });
    const { rejected = [], ...rest } = (answer instanceof Object ? answer : { answer }) as Record<string, unknown>;
    // Of two lists with one name, only the last is parsed.
    if (lists < (body.match(LIST)?.length ?? 0) || namesRejections(JSON.stringify(rest))) return undefined;
    const rejections = (rejected as unknown[]).map(toRejection);
    const places = new Set(rejections.map((rejection) => rejection?.index));
    return places.size < rejections.length || places.has(undefined) ? undefined : (rejections as Rejection[]);
  } catch {
    return undefined;
  }
}

/** A page may say anything, and refuses no message. */
const PAGE = /^\s*</;

function toRejection(entry: unknown): Rejection | undefined {
  if (typeof entry !== 'object' || entry === null) return undefined;
  const { index, messageId, code, message } = entry as Record<string, unknown>;
  if (!Number.isInteger(index) || Number(index) < 0) return undefined;
  const reason = [code, message].filter((part) => typeof part === 'string').join(': ');
  return { index: Number(index), messageId, reason: excerpt(reason) };
}

/** `"rejected": 0` and the like refuse no message; `"rejected": 3` does not tell which. */
const isNothing = (rejected: unknown): boolean =>
  !rejected || (typeof rejected === 'object' && Object.keys(rejected).length === 0);
