import { excerpt } from '../../base/text/printable.js';
import { type NamedRejection, namesFailure, namesRejections } from './response-outcome.js';

/** The status of a failed message in a 207 response, which has a status for each message. */
const FAILED_PART = /"status\w*"\W+[45]\d\d/i;

const LIST = /"rejected"\s*:/g;

/**
 * Returns the messages that a response names as refused: `{ "success": true, "rejected": [{ index, messageId, code, message }]
 * }`. The list is empty if the response mentions no refusals. Returns undefined if the response says that some messages were
 * refused but not which: it is truncated, malformed, lacks indexes, or has another shape.
 */
export function rejectionsOf(body: string, isTruncated = false, status = 200): readonly NamedRejection[] | undefined {
  if (isTruncated || (status === 207 && FAILED_PART.test(body)) || (status < 300 && namesFailure(body)))
    return undefined;
  // Almost every response ends here, without being parsed.
  if (!namesRejections(body) || PAGE.test(body)) return [];
  try {
    let lists = 0;
    const answer: unknown = JSON.parse(body, (key, value) => {
      if (key !== 'rejected') return value;
      lists++;
      return isNothing(value) ? undefined : value;
    });
    const { rejected = [], ...rest } = (answer instanceof Object ? answer : { answer }) as Record<string, unknown>;
    // If the response contains two lists of the same name, JSON.parse keeps only the last.
    if (lists < (body.match(LIST)?.length ?? 0) || namesRejections(JSON.stringify(rest))) return undefined;
    const rejections = (rejected as unknown[]).map(toRejection);
    const places = new Set(rejections.map((rejection) => rejection?.index));
    return places.size < rejections.length || places.has(undefined) ? undefined : (rejections as NamedRejection[]);
  } catch {
    return undefined;
  }
}

/** A page may contain any words and refuses no message. */
const PAGE = /^\s*</;

function toRejection(entry: unknown): NamedRejection | undefined {
  if (typeof entry !== 'object' || entry === null) return undefined;
  const { index, messageId, code, message } = entry as Record<string, unknown>;
  if (!Number.isInteger(index) || Number(index) < 0) return undefined;
  const reason = [code, message].filter((part) => typeof part === 'string').join(': ');
  return { index: Number(index), messageId, reason: excerpt(reason) };
}

/** Returns true for values such as `"rejected": 0`, which refuse no message. `"rejected": 3` does not say which. */
const isNothing = (rejected: unknown): boolean =>
  !rejected || (typeof rejected === 'object' && Object.keys(rejected).length === 0);
