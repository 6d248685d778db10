import { EXPECTED_ENDING, isEnding } from '../../delivery/attempt-outcome.js';
import type { DeadLetterFilter } from '../../destination/delivery-filter.js';
import type { DeliveryFilter } from './delivery-answers.js';
import { checkKnown, type Fields, momentOf, oneOf, textOf } from './read-fields.js';
import { refusals } from './refusals.js';
import { MOST_ID_BYTES } from './target-limits.js';

const REASONS = ['permanent', 'retries-used', 'window-over', 'backlog-full'] as const;
const TIMES = ['attempt', 'acceptance'] as const;
const NARROWING = ['id', 'user', 'event', 'endpoint', 'status', 'reason', 'from', 'to'] as const;
const NAMES = ['destination', 'by', ...NARROWING] as const;

export const queryFilter = (query: Readonly<Record<string, string>>): DeliveryFilter =>
  filterOf(Object.fromEntries(NAMES.map((name) => [name, query[name] || undefined])), refusals.invalidQuery);

/**
 * Reads the filter of a body. Only `all` means all deliveries, so that a body that is empty by mistake changes nothing.
 *
 * @param beside the fields that the call has beside the filter
 */
export function bodyFilter(
  fields: Fields,
  beside: readonly string[],
): { readonly filter: DeliveryFilter; readonly rate: number | undefined } {
  checkKnown(fields, [...NAMES, 'all', 'rate', ...beside]);
  const filter = filterOf(Object.fromEntries(NAMES.map((name) => [name, textOf(fields, name)])), refusals.invalidField);
  const { all, rate } = fields;
  if (Buffer.byteLength(filter.id ?? '') > MOST_ID_BYTES)
    throw refusals.invalidField('id', `text of at most ${MOST_ID_BYTES} bytes`, filter.id);
  if (all !== undefined && all !== true) throw refusals.invalidField('all', 'true', all);
  if (all === undefined && NARROWING.every((name) => filter[name] === undefined))
    throw refusals.invalidField('all', `true where there is none of ${NARROWING.join(', ')}`, all);
  if (rate !== undefined && !(typeof rate === 'number' && rate > 0))
    throw refusals.invalidField('rate', 'a number of deliveries a second above 0', rate);
  return { filter, rate };
}

/** The filter as the store of one destination takes it. */
export function storeFilter({
  destination: _,
  endpoint,
  by,
  from,
  to,
  ...rest
}: DeliveryFilter): Omit<DeadLetterFilter, 'user'> & { user?: string | undefined } {
  const times = by === 'acceptance' ? { from, to } : { attemptedFrom: from, attemptedTo: to };
  return { ...rest, ...times, endpointPart: endpoint };
}

function filterOf(
  { status, reason, by, from, to, ...texts }: Readonly<Record<string, string | undefined>>,
  refuse: typeof refusals.invalidField,
): DeliveryFilter {
  if (status !== undefined && !isEnding(status)) throw refuse('status', EXPECTED_ENDING, status);
  return {
    ...texts,
    status,
    reason: oneOf(REASONS, 'reason', reason, refuse),
    by: oneOf(TIMES, 'by', by, refuse),
    from: momentOf('from', from, refuse),
    to: momentOf('to', to, refuse),
  };
}
