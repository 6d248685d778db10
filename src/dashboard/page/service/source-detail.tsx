import { useState } from 'preact/hooks';
import { formatCount, plural } from '../../../plural.js';
import type { HourCount, SourceReport } from '../../../service/api/answers.js';
import type { RejectionReport, SourceHistory } from '../../../service/api/history-answers.js';
import { formatAgo } from '../moment.js';
import { go } from '../router.js';
import { Chart } from '../ui/chart.js';
import { Button, Facts, Head } from '../ui/detail.js';
import { RawView } from '../ui/json-view.js';
import { visible } from '../ui/visible.js';
import { get, pathOf, withQuery } from './api.js';
import { EventsByHour, HOURS } from './events-by-hour.js';
import { usePolled } from './poll.js';
import { momentOf, Ranges, shownRange, tickOf } from './ranges.js';

const COUNTS_MS = 10_000;
const HISTORY_MS = 5_000;

/** A source: its allowed events, and the counts of each event by hour of the last day. */
export function SourceDetail({ source, close }: { source: SourceReport; close(): void }) {
  const { name, destinations, trackSchema } = source;
  const path = `${pathOf('sources', name, 'counts')}?hours=${HOURS}`;
  const { value: counts } = usePolled(path, (signal) => get<HourCount[]>(path, signal), COUNTS_MS);
  return (
    <>
      <Head badge="source" look="" title={name} onClose={close} />
      <Facts
        of={[
          ['Destinations', destinations.join(', ') || 'none'],
          ['Allowed events', trackSchema.allowed?.join(', ') ?? 'all'],
          ['Blocked events', trackSchema.blocked?.join(', ') ?? ''],
        ]}
      />
      <div class="copies">
        <Button onClick={() => go('messages', '', { source: name })}>Watch its messages live</Button>
      </div>
      <History name={name} />
      <Rejections name={name} />
      {counts !== undefined && <EventsByHour counts={counts} />}
    </>
  );
}

/** What came of its messages, over time. */
function History({ name }: { name: string }) {
  const path = withQuery(pathOf('sources', name, 'history'), { range: shownRange() });
  const { value, problem } = usePolled(path, (signal) => get<SourceHistory>(path, signal), HISTORY_MS);
  const points = value?.points ?? [];
  return (
    <section class="charts" aria-label="History">
      <div class="line">
        <h3>History</h3>
        <Ranges />
      </div>
      {value === undefined ? (
        <p class="waiting">{problem || 'Asking for the history …'}</p>
      ) : (
        <Chart
          title="Messages"
          kind="bars"
          times={points.map(({ at }) => Date.parse(at))}
          format={formatCount}
          formatTick={tickOf}
          formatTime={momentOf}
          series={[
            // What is blocked or not was received; what is rejected was not.
            {
              label: 'received',
              colour: '--accent',
              values: points.map(({ received, blocked }) => received - blocked),
            },
            { label: 'blocked', colour: '--page', values: points.map(({ blocked }) => blocked) },
            { label: 'rejected', colour: '--bad', values: points.map(({ rejected }) => rejected) },
          ]}
        />
      )}
    </section>
  );
}

/** Why messages were rejected, with an example each; asked for once a reader opens it. */
function Rejections({ name }: { name: string }) {
  const [isOpen, setOpen] = useState(false);
  const path = pathOf('sources', name, 'rejections');
  const question = isOpen ? path : '';
  const { value, problem } = usePolled(question, (signal) => get<RejectionReport[]>(path, signal), HISTORY_MS);
  return (
    <details class="rejections" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Why messages were rejected</summary>
      {isOpen && value === undefined && <p class="waiting">{problem || 'Asking for the rejections …'}</p>}
      {value?.length === 0 && <p class="nothing">No message of this source was rejected lately.</p>}
      {value?.map(({ code, count, lastAt, example: { reason, raw, client } }) => (
        <details class="attempt" key={code}>
          <summary>
            <span class="badge bad">{visible(code)}</span> {plural(count, 'message')}{' '}
            <time title={lastAt}>last {formatAgo(lastAt, Date.now())}</time>
          </summary>
          <p class="reason">{visible(reason)}</p>
          <p class="nothing">{client === '' ? 'An unknown client' : visible(client)} sent:</p>
          <RawView raw={raw} />
        </details>
      ))}
    </details>
  );
}
