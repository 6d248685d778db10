import { refusals } from './refusals.js';
import type { ListQuery } from './requests.js';

/** Keeps the items with a text that contains `q`, ignoring case. Without `q`, it keeps all items. */
export function foundBy<T>(
  q: string | undefined,
  all: readonly T[],
  textsOf: (one: T) => readonly string[],
): readonly T[] {
  const needle = (q ?? '').trim().toLowerCase();
  return all.filter((one) => textsOf(one).some((text) => text.toLowerCase().includes(needle)));
}

/**
 * Returns the part of a list that `limit` and `after` select; without them, the whole list. `after` is the name or id of the last
 * item on the previous page.
 *
 * @throws ApiRefusal when `after` names no item of the list, for example because the item was removed
 */
export function pageOf<T>({ limit, after }: ListQuery, all: readonly T[], nameOf: (one: T) => string): readonly T[] {
  const from = after === undefined ? 0 : all.findIndex((one) => nameOf(one) === after) + 1;
  if (after !== undefined && from === 0)
    throw refusals.invalidQuery('after', 'the last one of a page that is listed', after);
  return all.slice(from, limit === undefined ? undefined : from + limit);
}
