import type { DeliveryReport } from '../../../service/api/delivery-answers.js';
import { formatMinute, formatMoment, formatSpan, msOf, withoutScheme } from '../format-values.js';
import { type Column, column } from '../ui/columns.js';
import { Result } from '../ui/result.js';
import { timeOf } from './delivery-keys.js';

/** The reasons why a delivery is dead, in words. */
export const REASONS = {
  permanent: 'refused for good',
  'retries-used': 'every attempt failed',
  'window-over': 'retry window over',
  'backlog-full': 'backlog full',
} as const;

const TEXT = ['minmax(110px, 1fr)', 'minmax(75px, 1fr)'] as const;

export const lookOf = ({ phase }: DeliveryReport): string =>
  phase === 'retrying' || phase === 'pending' ? 'retry' : phase;

const HELD_UP = {
  removal: 'the configuration no longer has the destination',
  pause: 'the destination is paused',
  failures: 'the endpoint failed many times in a row, and is left alone for a while',
  order: 'another delivery of its user goes first',
} as const;

/** Explains in full why a waiting delivery is not tried yet. */
const whyLater = ({ attempts, heldUpBy }: DeliveryReport): string =>
  heldUpBy === undefined ? '' : `${attempts === 0 ? 'not tried yet' : 'not tried again yet'}: ${HELD_UP[heldUpBy]}`;

export const deliveryColumns: readonly Column<DeliveryReport>[] = [
  column('time mono', 'Last attempt', ['130px'], (delivery) => formatMoment(timeOf(delivery), Date.now()), {
    title: timeOf,
  }),
  column('badge', 'Answer', ['minmax(150px, 1fr)', 'minmax(160px, 1fr)'], ({ result }) => result ?? 'not tried', {
    draw: ({ result }) => result !== null && <Result of={result} />,
    look: lookOf,
  }),
  column('title', 'Event', ['minmax(110px, 1fr)', 'minmax(110px, 2fr)'], ({ event, type }) => event ?? `${type} call`),
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
  column('size end', 'Next', ['150px', '130px'], whatFollows, { title: whyLater }),
];

function whatFollows({ phase, reason, nextAttemptAt, heldUpBy, pausedBy = '' }: DeliveryReport): string {
  const nowMs = Date.now();
  if (phase === 'dead') return reason === undefined ? 'dead' : REASONS[reason];
  if (phase === 'delivered' || phase === 'spared') return phase;
  if (heldUpBy === 'removal') return 'destination removed';
  if (heldUpBy === 'pause') return `paused by ${pausedBy}`;
  if (nextAttemptAt === null) return 'behind another';
  if (heldUpBy === 'failures') return `paused until ${formatMinute(nextAttemptAt, nowMs)}`;
  const ms = (msOf(nextAttemptAt) ?? 0) - nowMs;
  return ms > 0 ? `in ${formatSpan(ms)}` : 'due now';
}
