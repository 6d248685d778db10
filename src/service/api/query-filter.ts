import type { Rule, Rules } from '../../base/options/check-options.js';
import type { DeadLetterFilter } from '../../destination/changes/delivery-filter.js';
import type { DeliveryFilter } from './delivery-answers.js';
import { FILTER, type QueryParameter } from './queries.js';
import { refusals } from './refusals.js';
import { MOST_ID_BYTES } from './request-target.js';
import type { ChangeRequest } from './requests.js';

const NAMES = Object.keys(FILTER) as (keyof DeliveryFilter)[];
const NARROWING = NAMES.filter((name) => name !== 'destination' && name !== 'by');

/** A text field of a body has the same rule as a parameter of a query. */
export const textOf = ({ expected, read }: QueryParameter<unknown>): Rule => ({
  expected,
  holds: (value) => typeof value === 'string' && value !== '' && read(value) !== undefined,
});

const FILTER_RULES = Object.fromEntries(NAMES.map((name) => [name, textOf(FILTER[name])])) as Rules<DeliveryFilter>;

/** The rules for the fields of a replay or discard. `state` and `sendTo` depend on the destination. */
export const CHANGE_RULES: Rules<ChangeRequest> = {
  ...FILTER_RULES,
  id: {
    expected: `text of at most ${MOST_ID_BYTES} bytes`,
    holds: (value) => FILTER_RULES.id.holds(value) && Buffer.byteLength(String(value)) <= MOST_ID_BYTES,
  },
  all: { expected: 'true', holds: (value) => value === true },
  rate: {
    expected: 'a number of deliveries a second above 0',
    holds: (value) => typeof value === 'number' && value > 0,
  },
};

/** Reads the filter of a body. Only `all` selects all deliveries, so a body that is empty by mistake changes nothing. */
export function bodyFilter(given: ChangeRequest): DeliveryFilter {
  if (given.all === undefined && NARROWING.every((name) => given[name] === undefined))
    throw refusals.invalidField('all', `true if none of ${NARROWING.join(', ')} is given`, given.all);
  const read = (name: keyof DeliveryFilter) => given[name] && FILTER[name].read(given[name]);
  return Object.fromEntries(NAMES.map((name) => [name, read(name)]));
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
