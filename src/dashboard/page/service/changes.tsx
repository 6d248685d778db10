import { formatCount, plural } from '../../../base/text/plural.js';
import type { ChangeReport } from '../../../service/api/answer-types.js';
import { formatMoment } from '../format-values.js';
import { decode } from '../page-route.js';
import { column } from '../ui/columns.js';
import { Framed } from '../ui/detail.js';
import type { PageList } from '../ui/list.js';
import { visible } from '../ui/visible.js';
import { useNewest } from './stored-list.js';

/** The description of each switch and its two values, which are true and false in the API. */
const SWITCHES: Readonly<Record<string, readonly [what: string, on: string, off: string]>> = {
  paused: ['Delivery to', 'paused', 'delivering'],
  enabled: ['Forwarding to', 'on', 'off'],
};
const CALL = /^(\w+) \/v1\/(\w+)(?:\/(.*?))?(?:\/(paused|enabled))?$/;

/** Returns what was changed: `Delivery to CRM`. */
function whatOf({ call, destination, sources, counts }: ChangeReport): string {
  const [, method = '', kind = '', name = '', field = ''] = CALL.exec(call) ?? [];
  const named = SWITCHES[field]?.[0];
  if (named !== undefined) return `${named} ${decode(name)}`;
  if (kind === 'deliveries') return `${name} of ${destination ?? 'all destinations'}`;
  if (kind === 'deletions') {
    const from = sources === undefined ? 'all sources' : sources.join(', ');
    return `Deletion of ${plural(counts?.['users'] ?? 0, 'user')} from ${from}`;
  }
  return kind === ''
    ? 'Configuration'
    : `${kind} ${decode(name)} ${method === 'DELETE' ? 'stopped or removed' : ''}`.trim();
}

/** Returns a switch's value in words; empty if the change was not of a switch. */
function wordOf({ call }: ChangeReport, value: boolean | undefined): string {
  const [, on = 'true', off = 'false'] = SWITCHES[CALL.exec(call)?.[4] ?? ''] ?? [];
  return value === undefined ? '' : value ? on : off;
}

/** Returns the result of a change: the new value, or the counts. */
function afterOf(change: ChangeReport): string {
  const { call, value, counts = {}, changes } = change;
  if (changes !== undefined) return plural(changes.length, 'change');
  if (value !== undefined) return wordOf(change, value);
  if (call === 'POST /v1/deletions') return plural(counts['notifications'] ?? 0, 'notification');
  return Object.entries(counts)
    .map(([name, count]) => `${formatCount(count)} ${name}`)
    .join(', ');
}

/** Who changed what through the API and the page, and the reloads of the configuration. */
export const changes: PageList<ChangeReport> = {
  ...{ name: 'changes', label: 'Changes, newest first', noun: 'Change' },
  none: ['No changes', 'Each change of the last 30 days is listed here, with the old and the new value.'],
  useRows: () => useNewest('GET /v1/changes', 100),
  keyOf: ({ id }) => id,
  columns: [
    column('time mono', 'When', ['130px'], ({ at }) => formatMoment(at, Date.now()), { title: ({ at }) => at }),
    column('source', 'Who', ['minmax(90px, 160px)'], ({ by }) => by),
    column('title', 'What', ['minmax(140px, 1fr)'], whatOf),
    column('user', 'Before', ['110px', ''], (change) => wordOf(change, change.before)),
    column('size', 'After', ['minmax(110px, 1fr)'], afterOf),
  ],
  useDetail: (change) => ({
    badge: change.by,
    title: whatOf(change),
    facts: [
      ['When', formatMoment(change.at, Date.now()), change.at],
      ['Before', wordOf(change, change.before)],
      ['After', afterOf(change)],
      ['Job', change.job ?? ''],
      ['Call', change.call],
    ],
    below: change.changes && <Framed>{change.changes.map(visible).join('\n')}</Framed>,
  }),
};
