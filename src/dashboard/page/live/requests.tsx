import { formatCount } from '../../../base/text/plural.js';
import type { BatchEntry, RejectedEntry } from '../../server/entry.js';
import { formatBytes, formatTime } from '../format-values.js';
import { column } from '../ui/columns.js';
import { RawView } from '../ui/json-view.js';
import type { PageList } from '../ui/list.js';
import { copy } from '../ui/toast.js';
import { logs } from './feed.js';
import { keyOfEntry, useEntries } from './live-list.js';

const timeOf = ({ receivedAt }: { receivedAt: string }): string => formatTime(receivedAt);

export const rejected: PageList<RejectedEntry> = {
  ...{ name: 'rejected', label: 'Rejected messages, newest first', noun: 'Rejected message', keyOf: keyOfEntry },
  none: ['Nothing rejected', 'Messages that the collector refuses appear here, with the reason and the original text.'],
  useRows: () => useEntries(logs.rejected),
  columns: [
    column('time mono', 'Time', ['92px'], timeOf),
    column('badge', 'Code', ['190px', 'minmax(80px, 150px)'], ({ code }) => code, { look: () => 'bad' }),
    column('title', 'Reason', ['minmax(120px, 1fr)'], ({ reason }) => reason),
    column('source', 'Source', ['84px', ''], ({ source }) => source || 'unknown'),
  ],
  useDetail: ({ code, reason, receivedAt, source, client, raw }) => ({
    ...{ badge: 'rejected', look: 'bad', title: code, reason },
    facts: [
      ['Received', formatTime(receivedAt), receivedAt],
      ['Source', source || 'unknown'],
      ['Client', client],
    ],
    acts: [{ text: 'Copy text', act: () => copy(raw, 'Text') }],
    below: <RawView raw={raw} />,
  }),
};

const lookOf = ({ status }: BatchEntry): string => (status < 300 ? 'good' : 'bad');

export const batches: PageList<BatchEntry> = {
  ...{ name: 'batches', label: 'Batches, newest first', noun: 'Batch', keyOf: keyOfEntry },
  none: [
    'No batches yet',
    'Each request of a client is one line, with its size, its client and the number of the attempt.',
  ],
  useRows: () => useEntries(logs.batch),
  columns: [
    column('time mono', 'Time', ['92px'], timeOf),
    column('badge', 'Answer', ['74px'], ({ status }) => String(status), { look: lookOf }),
    column(
      ...(['title', 'Client', ['minmax(120px, 1fr)', 'minmax(100px, 1fr)']] as const),
      ({ client }) => client || 'unknown client',
    ),
    column('number end', 'Messages', ['76px'], ({ messages }) => formatCount(messages), {
      word: ({ messages }) => (messages === 1 ? 'message' : 'messages'),
    }),
    column('number end', 'Size', ['76px', ''], ({ bytes }) => formatBytes(bytes)),
    column('number wire end', 'On the wire', ['84px', ''], ({ wireBytes }) => formatBytes(wireBytes)),
    column('number end', 'Attempt', ['64px', ''], ({ attempt }) => String(attempt), {
      word: ({ attempt }) => (attempt === 1 ? 'attempt' : 'attempts'),
    }),
  ],
  useDetail: (entry) => ({
    ...{ badge: String(entry.status), look: lookOf(entry), title: entry.path },
    facts: [
      ['Client', entry.client || 'unknown'],
      ['Source', entry.source || 'unknown'],
      ['Received', timeOf(entry), entry.receivedAt],
      ['Messages', formatCount(entry.messages)],
      ['Rejected', formatCount(entry.rejected)],
      ['Seen before', formatCount(entry.duplicates)],
      ['Body', formatBytes(entry.bytes)],
      ['On the wire', formatBytes(entry.wireBytes)],
      ['Attempt', String(entry.attempt)],
    ],
  }),
};
