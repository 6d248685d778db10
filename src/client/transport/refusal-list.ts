import { excerpt } from '../../base/text/printable.js';
import { namesRejections, type Rejection } from './response-outcome.js';

/** In an answer of 207, which has a status for each message, one of a message that failed. */
const FAILED_PART = /"status\w*"\W+[45]\d\d/i;

const LIST = /"rejected"\s*:/g;

/**
 * The messages that an answer names as refused: `{ "success": true, "rejected": [{ index, messageId, code, message }] }`.
 * None when the answer says nothing of the kind. Undefined when it says that some are refused and not which: it was cut, is broken,
 * names no places, or says it in another shape.
 */
export function rejectionsOf(body: string, isTruncated = false, status = 200): readonly Rejection[] | undefined {
  if (isTruncated || (status === 207 && FAILED_PART.test(body))) return undefined;
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
