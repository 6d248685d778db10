import { refusals } from './refusals.js';
import type { ListQuery } from './requests.js';

/**
 * The part of a list that a request asks for with `limit` and `after`; without them all of it. `after` is the name or id of the last one
 * of the page before.
 *
 * @throws ApiRefusal when `after` names none of them, as it was removed meanwhile or never was
 */
export function pageOf<T>({ limit, after }: ListQuery, all: readonly T[], nameOf: (one: T) => string): readonly T[] {
  const from = after === undefined ? 0 : all.findIndex((one) => nameOf(one) === after) + 1;
  if (after !== undefined && from === 0)
    throw refusals.invalidQuery('after', 'the last one of a page that is listed', after);
  return all.slice(from, limit === undefined ? undefined : from + limit);
}
