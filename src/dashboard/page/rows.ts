import type { BatchEntry, DeliveryEntry, MessageEntry, RejectedEntry } from '../server/entry.js';
import type { Column } from './columns.js';
import { formatBytes, formatCount, formatDuration, formatTime, titleOf, userOf, withoutScheme } from './format.js';

const timeOf = ({ receivedAt }: { receivedAt: string }): string => formatTime(receivedAt);

export const messageColumns: readonly Column<MessageEntry>[] = [
  { heading: 'Time', cell: 'time', width: '92px', text: timeOf },
  { heading: 'Type', cell: 'badge', width: '74px', text: typeOf, look: typeOf },
  {
    heading: 'Event or name',
    cell: 'title',
    width: 'minmax(120px, 1fr)',
    beside: 'minmax(100px, 1fr)',
    text: ({ message }) => titleOf(message),
  },
  {
    heading: 'User',
    cell: 'user',
    width: 'minmax(80px, 190px)',
    beside: 'minmax(60px, 130px)',
    text: ({ message }) => userOf(message),
  },
  { heading: 'Source', cell: 'source', width: '84px', beside: '', text: ({ source }) => source },
  { heading: 'Size', cell: 'size end', width: '64px', beside: '', text: ({ bytes }) => formatBytes(bytes) },
];

function typeOf({ message }: MessageEntry): string {
  return String(message['type']);
}

export const rejectedColumns: readonly Column<RejectedEntry>[] = [
  { heading: 'Time', cell: 'time', width: '92px', text: timeOf },
  {
    heading: 'Code',
    cell: 'badge',
    width: '190px',
    beside: 'minmax(80px, 150px)',
    text: ({ code }) => code,
    look: () => 'bad',
  },
  { heading: 'Reason', cell: 'title', width: 'minmax(120px, 1fr)', text: ({ reason }) => reason },
  { heading: 'Source', cell: 'source', width: '84px', beside: '', text: ({ source }) => source || 'unknown' },
];

export const batchColumns: readonly Column<BatchEntry>[] = [
  { heading: 'Time', cell: 'time', width: '92px', text: timeOf },
  {
    heading: 'Answer',
    cell: 'badge',
    width: '74px',
    text: ({ status }) => String(status),
    look: ({ status }) => (status < 300 ? 'good' : 'bad'),
  },
  {
    heading: 'Client',
    cell: 'title',
    width: 'minmax(120px, 1fr)',
    beside: 'minmax(100px, 1fr)',
    text: ({ client }) => client || 'unknown client',
  },
  { heading: 'Messages', cell: 'number end', width: '76px', text: ({ messages }) => formatCount(messages) },
  { heading: 'Size', cell: 'number end', width: '76px', beside: '', text: ({ bytes }) => formatBytes(bytes) },
  {
    heading: 'On the wire',
    cell: 'number end',
    width: '84px',
    beside: '',
    text: ({ wireBytes }) => formatBytes(wireBytes),
  },
  { heading: 'Attempt', cell: 'number end', width: '64px', beside: '', text: ({ attempt }) => String(attempt) },
];

const [TEXT, TEXT_BESIDE] = ['minmax(110px, 1fr)', 'minmax(90px, 1fr)'];

export const deliveryColumns: readonly Column<DeliveryEntry>[] = [
  { heading: 'Time', cell: 'time', width: '92px', text: ({ at }) => formatTime(at) },
  {
    heading: 'Answer',
    cell: 'badge',
    width: '116px',
    beside: '84px',
    text: ({ result }) => result,
    look: ({ outcome }) => outcome,
  },
  {
    heading: 'Event or name',
    cell: 'title',
    width: TEXT,
    beside: TEXT_BESIDE,
    text: ({ title, type, id }) => title || type || id,
  },
  {
    heading: 'Webhook',
    cell: 'user',
    width: TEXT,
    beside: TEXT_BESIDE,
    text: ({ endpoint }) => withoutScheme(endpoint),
  },
  {
    heading: 'Attempt',
    cell: 'number end',
    width: '54px',
    beside: '',
    text: ({ attempt }) => (attempt === 0 ? '' : String(attempt)),
  },
  {
    heading: 'Took',
    cell: 'number end',
    width: '60px',
    beside: '',
    text: ({ attempt, durationMs }) => (attempt === 0 ? '' : formatDuration(durationMs)),
  },
  { heading: 'What follows', cell: 'size end', width: '108px', text: whatFollows },
];

function whatFollows({ outcome, nextAttemptAt }: DeliveryEntry): string {
  if (nextAttemptAt !== undefined) return `again ${formatTime(nextAttemptAt).slice(0, 8)}`;
  return outcome === 'skipped' ? '' : outcome;
}
