import type { DeadLetterFilter } from '../../destination/changes/delivery-filter.js';
import type { DeliveryFilter } from './delivery-answers.js';
import { FILTER } from './queries.js';
import { type BodyFields, checkKnown, readField } from './read-fields.js';
import { refusals } from './refusals.js';
import { MOST_ID_BYTES } from './request-target.js';

const NAMES = Object.keys(FILTER) as (keyof DeliveryFilter)[];
const NARROWING = NAMES.filter((name) => name !== 'destination' && name !== 'by');

/**
 * Reads the filter of a body. All deliveries are selected only by `all`, so a body that is empty by mistake changes nothing.
 *
 * @param beside the fields that the call accepts in addition to the filter
 */
export function bodyFilter(
  fields: BodyFields,
  beside: readonly string[],
): { readonly filter: DeliveryFilter; readonly rate: number | undefined } {
  checkKnown(fields, [...NAMES, 'all', 'rate', ...beside]);
  // Each value has the type that its parameter reads.
  const filter = Object.fromEntries(
    NAMES.map((name) => [name, readField<unknown>(fields, name, FILTER[name])]),
  ) as DeliveryFilter;
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

/** Converts the filter to the form that the store of one destination takes. */
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
