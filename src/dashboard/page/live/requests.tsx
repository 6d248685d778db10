import { formatCount } from '../../../base/text/plural.js';
import type { BatchEntry, RejectedEntry } from '../../server/entry.js';
import { formatBytes, formatTime } from '../format-values.js';
import { type Column, column } from '../ui/columns.js';
import { Button, Empty, Facts, Head } from '../ui/detail.js';
import { RawView } from '../ui/json-view.js';
import { copy } from '../ui/toast.js';
import { visible } from '../ui/visible.js';
import { logs } from './feed.js';
import { LiveList } from './live-list.js';

const timeOf = ({ receivedAt }: { receivedAt: string }): string => formatTime(receivedAt);

const rejectedColumns: readonly Column<RejectedEntry>[] = [
  column('time mono', 'Time', ['92px'], timeOf),
  column('badge', 'Code', ['190px', 'minmax(80px, 150px)'], ({ code }) => code, { look: () => 'bad' }),
  column('title', 'Reason', ['minmax(120px, 1fr)'], ({ reason }) => reason),
  column('source', 'Source', ['84px', ''], ({ source }) => source || 'unknown'),
];

export const Rejected = () => (
  <LiveList
    name="rejected"
    label="Rejected messages, newest first"
    detailLabel="Rejected message"
    columns={rejectedColumns}
    log={logs.rejected}
    detail={showRejected}
    empty={
      <Empty
        title="Nothing rejected"
        text="Messages that the collector refuses appear here, with the reason and the original text."
      />
    }
  />
);

const showRejected = ({ code, reason, receivedAt, source, client, raw }: RejectedEntry, close: () => void) => (
  <>
    <Head badge="rejected" look="bad" title={code} onClose={close} />
    <p class="reason">{visible(reason)}</p>
    <Facts
      of={[
        ['Received', formatTime(receivedAt), receivedAt],
        ['Source', source || 'unknown'],
        ['Client', client],
      ]}
    />
    <div class="sides line">
      <Button onClick={() => copy(raw, 'Text')}>Copy text</Button>
    </div>
    <RawView raw={raw} />
  </>
);

const batchColumns: readonly Column<BatchEntry>[] = [
  column('time mono', 'Time', ['92px'], timeOf),
  column('badge', 'Answer', ['74px'], ({ status }) => String(status), {
    look: ({ status }) => (status < 300 ? 'good' : 'bad'),
  }),
  column('title', 'Client', ['minmax(120px, 1fr)', 'minmax(100px, 1fr)'], ({ client }) => client || 'unknown client'),
  column('number end', 'Messages', ['76px'], ({ messages }) => formatCount(messages), {
    word: ({ messages }) => (messages === 1 ? 'message' : 'messages'),
  }),
  column('number end', 'Size', ['76px', ''], ({ bytes }) => formatBytes(bytes)),
  column('number wire end', 'On the wire', ['84px', ''], ({ wireBytes }) => formatBytes(wireBytes)),
  column('number end', 'Attempt', ['64px', ''], ({ attempt }) => String(attempt), {
    word: ({ attempt }) => (attempt === 1 ? 'attempt' : 'attempts'),
  }),
];

export const Batches = () => (
  <LiveList
    name="batches"
    label="Batches, newest first"
    detailLabel="Batch"
    columns={batchColumns}
    log={logs.batch}
    detail={showBatch}
    empty={
      <Empty
        title="No batches yet"
        text="Each request of a client is one line, with its size, its client and the number of the attempt."
      />
    }
  />
);

const showBatch = (entry: BatchEntry, close: () => void) => (
  <>
    <Head badge={String(entry.status)} look={entry.status < 300 ? 'good' : 'bad'} title={entry.path} onClose={close} />
    <Facts
      of={[
        ['Client', entry.client || 'unknown'],
        ['Source', entry.source || 'unknown'],
        ['Received', timeOf(entry), entry.receivedAt],
        ['Messages', formatCount(entry.messages)],
        ['Rejected', formatCount(entry.rejected)],
        ['Seen before', formatCount(entry.duplicates)],
        ['Body', formatBytes(entry.bytes)],
        ['On the wire', formatBytes(entry.wireBytes)],
        ['Attempt', String(entry.attempt)],
      ]}
    />
  </>
);
