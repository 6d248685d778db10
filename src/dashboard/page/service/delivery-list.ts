import type { RecentDelivery } from '../../../service/api/delivery-answers.js';
import { withoutScheme } from '../format.js';
import { formatMoment, formatSpan, msOf } from '../moment.js';
import { type Column, column } from '../ui/columns.js';

const TEXT = ['minmax(110px, 1fr)', 'minmax(90px, 1fr)'] as const;

export const deliveryColumns: readonly Column<RecentDelivery>[] = [
  column('time', 'Last attempt', ['120px', '92px'], ({ lastAttemptAt }) => formatMoment(lastAttemptAt, Date.now()), {
    title: ({ lastAttemptAt }) => lastAttemptAt,
  }),
  column('badge', 'Answer', ['150px', '110px'], ({ result }) => result, {
    look: ({ phase }) => (phase === 'retrying' ? 'retry' : phase),
  }),
  column('title', 'Event', TEXT, ({ event, type }) => event ?? `${type} call`),
  column('user who', 'User', ['minmax(80px, 150px)', ''], ({ userId, anonymousId }) => userId ?? anonymousId ?? ''),
  column('source', 'Destination', TEXT, ({ destination }) => destination),
  column('user', 'Webhook', ['minmax(80px, 0.7fr)', ''], ({ webhook }) => withoutScheme(webhook.url)),
  column('number end', 'Attempts', ['64px', ''], ({ attempts }) => String(attempts), { word: 'attempts' }),
  column('size end', 'Next', ['108px', '92px'], whatFollows),
];

function whatFollows({ phase, nextAttemptAt }: RecentDelivery): string {
  if (phase !== 'retrying') return phase === 'dead' ? 'given up' : phase;
  const ms = (msOf(nextAttemptAt) ?? 0) - Date.now();
  return ms > 0 ? `in ${formatSpan(ms)}` : 'due now';
}
