import type { DeliveryPage } from '../../../service/api/delivery-answers.js';
import { formatMoment } from '../moment.js';

/** Since when a list of attempts is complete; '' of a list that always is. */
export function wholeFromText(
  { wholeFrom, failuresWholeFrom }: Pick<DeliveryPage, 'wholeFrom' | 'failuresWholeFrom'>,
  nowMs: number,
): string {
  if (wholeFrom === undefined || failuresWholeFrom === undefined) return '';
  if (wholeFrom === null || failuresWholeFrom === null) return 'Nothing is kept.';
  const all = formatMoment(wholeFrom, nowMs);
  if (wholeFrom === failuresWholeFrom) return `Complete since ${all}.`;
  return `Failures are complete since ${formatMoment(failuresWholeFrom, nowMs)}, successes since ${all}.`;
}
