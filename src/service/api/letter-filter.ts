import { type Fields, momentOf, oneOf, textOf } from './body.js';
import type { DeadLetterFilter } from './letter-answers.js';
import { refusals } from './refusals.js';
import { MOST_ID_BYTES } from './target-limits.js';

const TYPES = ['track', 'identify', 'page', 'screen', 'group', 'alias', 'delete'] as const;
const REASONS = ['permanent', 'retries-used', 'window-over', 'backlog-full'] as const;
const FILTERS = ['endpoint', 'type', 'user', 'reason', 'from', 'to'] as const;
const MEANT = ['id', ...FILTERS] as const;

export function queryFilter(query: Record<string, string>): DeadLetterFilter {
  const given = Object.fromEntries(FILTERS.map((name) => [name, query[name] || undefined]));
  return filterOf(given, refusals.invalidQuery);
}

/** Which letters a body means. All of them only when it says so: one that was left empty by mistake means none. */
export function bodyFilter(fields: Fields): DeadLetterFilter & { id: string | undefined; rate: number | undefined } {
  const names = [...MEANT, 'all', 'rate', 'state'];
  const unknown = Object.keys(fields).find((name) => !names.includes(name));
  if (unknown !== undefined) throw refusals.invalidField(unknown, `one of ${names.join(', ')}`);
  const given = Object.fromEntries(MEANT.map((name) => [name, textOf(fields, name)]));
  const filter = filterOf(given, refusals.invalidField);
  const { all, rate } = fields;
  if (Buffer.byteLength(given['id'] ?? '') > MOST_ID_BYTES)
    throw refusals.invalidField('id', `text of at most ${MOST_ID_BYTES} bytes`);
  if (all !== undefined && all !== true) throw refusals.invalidField('all', 'true');
  if (all === undefined && Object.values(given).every((value) => value === undefined))
    throw refusals.invalidField('all', `true, and none of ${MEANT.join(', ')} is there`);
  if (rate !== undefined && !(typeof rate === 'number' && rate > 0))
    throw refusals.invalidField('rate', 'a number of deliveries a second above 0');
  return { id: given['id'], rate, ...filter };
}

function filterOf(
  { endpoint, type, user, reason, from, to }: Readonly<Record<string, string | undefined>>,
  refuse: typeof refusals.invalidField,
): DeadLetterFilter {
  return {
    endpoint: webhookName(endpoint),
    type: oneOf(TYPES, 'type', type, refuse),
    user,
    reason: oneOf(REASONS, 'reason', reason, refuse),
    from: momentOf('from', from, refuse),
    to: momentOf('to', to, refuse),
  };
}

/** Writes a URL as a destination names its webhooks: `https://example.com` becomes `https://example.com/`. */
export function webhookName(url: string | undefined): DeadLetterFilter['endpoint'] {
  if (url === undefined) return undefined;
  return URL.canParse(url) ? new URL(url).href : url;
}
