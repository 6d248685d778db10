import { formatCount } from '../../plural.js';
import type { BatchEntry, DeliveryEntry, MessageEntry, RejectedEntry } from '../server/entry.js';
import { type Column, column } from './columns.js';
import { formatBytes, formatDuration, formatTime, titleOf, userOf, withoutScheme } from './format.js';

const timeOf = ({ receivedAt }: { receivedAt: string }): string => formatTime(receivedAt);
const typeOf = ({ message }: MessageEntry): string => String(message['type']);

export const messageColumns: readonly Column<MessageEntry>[] = [
  column('time', 'Time', ['92px'], timeOf),
  column('badge', 'Type', ['74px'], typeOf, { look: typeOf }),
  column('title', 'Event or name', ['minmax(120px, 1fr)', 'minmax(100px, 1fr)'], ({ message }) => titleOf(message)),
  column('user', 'User', ['minmax(80px, 190px)', 'minmax(60px, 130px)'], ({ message }) => userOf(message)),
  column('source', 'Source', ['84px', ''], ({ source }) => source),
  column('size end', 'Size', ['64px', ''], ({ bytes }) => formatBytes(bytes)),
];

export const rejectedColumns: readonly Column<RejectedEntry>[] = [
  column('time', 'Time', ['92px'], timeOf),
  column('badge', 'Code', ['190px', 'minmax(80px, 150px)'], ({ code }) => code, { look: () => 'bad' }),
  column('title', 'Reason', ['minmax(120px, 1fr)'], ({ reason }) => reason),
  column('source', 'Source', ['84px', ''], ({ source }) => source || 'unknown'),
];

export const batchColumns: readonly Column<BatchEntry>[] = [
  column('time', 'Time', ['92px'], timeOf),
  column('badge', 'Answer', ['74px'], ({ status }) => String(status), {
    look: ({ status }) => (status < 300 ? 'good' : 'bad'),
  }),
  column('title', 'Client', ['minmax(120px, 1fr)', 'minmax(100px, 1fr)'], ({ client }) => client || 'unknown client'),
  column('number end', 'Messages', ['76px'], ({ messages }) => formatCount(messages)),
  column('number end', 'Size', ['76px', ''], ({ bytes }) => formatBytes(bytes)),
  column('number end', 'On the wire', ['84px', ''], ({ wireBytes }) => formatBytes(wireBytes)),
  column('number end', 'Attempt', ['64px', ''], ({ attempt }) => String(attempt)),
];

const TEXT = ['minmax(110px, 1fr)', 'minmax(90px, 1fr)'] as const;

export const deliveryColumns: readonly Column<DeliveryEntry>[] = [
  column('time', 'Time', ['92px'], ({ at }) => formatTime(at)),
  column('badge', 'Answer', ['116px', '84px'], ({ result }) => result, { look: ({ outcome }) => outcome }),
  column('title', 'Event or name', TEXT, ({ title, type, id }) => title || type || id),
  column('user', 'Webhook', TEXT, ({ endpoint }) => withoutScheme(endpoint)),
  column('number end', 'Attempt', ['54px', ''], ({ attempt }) => (attempt === 0 ? '' : String(attempt))),
  column('number end', 'Took', ['60px', ''], ({ attempt, durationMs }) =>
    attempt === 0 ? '' : formatDuration(durationMs),
  ),
  column('size end', 'Next', ['108px'], whatFollows),
];

function whatFollows({ outcome, nextAttemptAt }: DeliveryEntry): string {
  if (nextAttemptAt !== undefined) return `again ${formatTime(nextAttemptAt).slice(0, 8)}`;
  return outcome === 'skipped' ? '' : outcome;
}
