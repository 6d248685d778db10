import type { DeliveryReport } from '../../../service/api/delivery-answers.js';
import { formatMoment, formatSpan, msOf, withoutScheme } from '../format-values.js';
import { type Column, column } from '../ui/columns.js';
import { Result } from '../ui/result.js';

/** Says why a delivery is dead. */
export const REASONS = {
  permanent: 'refused for good',
  'retries-used': 'every attempt failed',
  'window-over': 'retry window over',
  'backlog-full': 'backlog full',
} as const;

const TEXT = ['minmax(110px, 1fr)', 'minmax(90px, 1fr)'] as const;

/** A delivery that was never tried shows when it was accepted. */
const timeOf = ({ lastAttemptAt, acceptedAt }: DeliveryReport): string => lastAttemptAt ?? acceptedAt;

export const deliveryColumns: readonly Column<DeliveryReport>[] = [
  column('time mono', 'Last attempt', ['130px'], (delivery) => formatMoment(timeOf(delivery), Date.now()), {
    title: timeOf,
  }),
  column('badge', 'Answer', ['minmax(150px, 1fr)', 'minmax(110px, 1fr)'], ({ result }) => result ?? 'not tried', {
    draw: ({ result }) => result !== null && <Result of={result} />,
    look: ({ phase }) => (phase === 'retrying' || phase === 'pending' ? 'retry' : phase),
  }),
  column('title', 'Event', ['minmax(110px, 1fr)', 'minmax(130px, 2fr)'], ({ event, type }) => event ?? `${type} call`),
  column(
    'user who mono',
    'User',
    ['minmax(80px, 150px)', ''],
    ({ userId, anonymousId }) => userId ?? anonymousId ?? '',
  ),
  column('source', 'Destination', TEXT, ({ destination }) => destination),
  column('user mono', 'Webhook', ['minmax(80px, 0.7fr)', ''], ({ webhook }) => withoutScheme(webhook.url)),
  column('number end', 'Attempts', ['64px', ''], ({ attempts }) => String(attempts), {
    word: ({ attempts }) => (attempts === 1 ? 'attempt' : 'attempts'),
  }),
  column('size end', 'Next', ['140px', '124px'], whatFollows),
];

function whatFollows({ phase, reason, nextAttemptAt }: DeliveryReport): string {
  if (phase === 'dead') return reason === undefined ? 'dead' : REASONS[reason];
  if (phase === 'delivered' || phase === 'spared') return phase;
  if (nextAttemptAt === null) return 'behind another';
  const ms = (msOf(nextAttemptAt) ?? 0) - Date.now();
  return ms > 0 ? `in ${formatSpan(ms)}` : 'due now';
}
