import { formatCount } from '../../../base/text/plural.js';

/** `CRM, Warehouse and 498 more`; empty without any. */
export function firstNames(names: readonly string[]): string {
  const [first, second, ...others] = names;
  if (first === undefined || second === undefined) return first ?? '';
  return `${first}, ${second}${others.length === 0 ? '' : ` and ${formatCount(others.length)} more`}`;
}
