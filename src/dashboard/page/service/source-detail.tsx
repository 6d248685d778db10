import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { formatCount, plural } from '../../../base/text/plural.js';
import type { HourCount, SourceReport } from '../../../service/api/answers.js';
import type { RejectionReport, SourceHistory, ViolationReport } from '../../../service/api/history-answers.js';
import { formatAgo } from '../moment.js';
import { go } from '../router.js';
import { Chart } from '../ui/chart.js';
import { Button, Facts, Head } from '../ui/detail.js';
import { RawView } from '../ui/json-view.js';
import { Names } from '../ui/names.js';
import { visible } from '../ui/visible.js';
import { get, pathOf, withQuery } from './api.js';
import { EventsByHour, HOURS } from './events-by-hour.js';
import { usePolled } from './poll.js';
import { momentOf, Ranges, shownRange, tickOf } from './ranges.js';

const COUNTS_MS = 10_000;
const HISTORY_MS = 5_000;

/** A source: its allowed events, and the counts of each event by hour of the last day. */
export function SourceDetail({ source, close }: { source: SourceReport; close(): void }) {
  const { name, destinations, trackSchema, trackingPlan } = source;
  const path = `${pathOf('sources', name, 'counts')}?hours=${HOURS}`;
  const { value: counts } = usePolled(path, (signal) => get<HourCount[]>(path, signal), COUNTS_MS);
  return (
    <>
      <Head badge="source" look="" title={name} onClose={close} />
      <History name={name} />
      <div class="copies">
        <Button onClick={() => go('messages', '', { source: name })}>Watch its messages live</Button>
      </div>
      <Facts
        of={[
          ['Destinations', listed(destinations) || 'none'],
          ['Allowed events', trackSchema.allowed === null ? 'all' : listed(trackSchema.allowed)],
          ['Blocked events', listed(trackSchema.blocked)],
          ['Tracking plan', trackingPlan === null ? '' : planText(trackingPlan)],
        ]}
      />
      <Rejections name={name} />
      {trackingPlan !== null && <Violations name={name} />}
      {counts !== undefined && <EventsByHour counts={counts} />}
    </>
  );
}

const listed = (names: readonly string[]): ComponentChildren => (names.length === 0 ? '' : <Names of={names} />);

/** How many events a plan has, and what becomes of what differs from it. */
function planText({ events, onViolation, onUnknownEvent }: NonNullable<SourceReport['trackingPlan']>): string {
  const unknown = onUnknownEvent === onViolation ? '' : `, unknown events: ${onUnknownEvent}`;
  return `${plural(events, 'event')}; violations: ${onViolation}${unknown}`;
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

/** Why messages were rejected, with an example each. */
function Rejections({ name }: { name: string }) {
  return (
    <Examples<RejectionReport>
      title="Why messages were rejected, last 7 days"
      path={pathOf('sources', name, 'rejections')}
      none="No message of this source was rejected lately."
      draw={({ code, count, lastAt, example: { reason, raw, client } }) => (
        <Example
          key={code}
          badge={code}
          isBad
          counted={<Counted count={count} lastAt={lastAt} />}
          reason={reason}
          raw={raw}
          client={client}
        />
      )}
    />
  );
}

/** Violations of the tracking plan, by event, path and reason, with an example each. */
function Violations({ name }: { name: string }) {
  return (
    <Examples<ViolationReport>
      title="Violations of the tracking plan, last 7 days"
      path={pathOf('sources', name, 'violations')}
      none="No message of this source violated its plan lately."
      draw={({ type, event, path, reason, outcome, count, lastAt, example: { expected, received, raw, client } }) => (
        <Example
          key={JSON.stringify([type, event, path, reason, outcome])}
          badge={reason}
          isBad={outcome === 'blocked'}
          title={`${event ?? type} · ${path}`}
          counted={<Counted count={count} lastAt={lastAt} outcome={outcome} />}
          reason={`expected ${expected}, got ${received}`}
          raw={raw}
          client={client}
        />
      )}
    />
  );
}

interface ExamplesProps<T> {
  readonly title: string;
  readonly path: string;
  readonly none: string;
  draw(report: T): ComponentChildren;
}

/** Kinds of messages with their examples; asked for once a reader opens it. */
function Examples<T>({ title, path, none, draw }: ExamplesProps<T>) {
  const [isOpen, setOpen] = useState(false);
  const { value, problem } = usePolled(isOpen ? path : '', (signal) => get<T[]>(path, signal), HISTORY_MS);
  return (
    <details class="rejections" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && value === undefined && <p class="waiting">{problem || 'Asking the service …'}</p>}
      {value?.length === 0 && <p class="nothing">{none}</p>}
      {value?.map(draw)}
    </details>
  );
}

interface ExampleProps {
  readonly badge: string;
  readonly isBad: boolean;
  readonly title?: string;
  readonly counted: ComponentChildren;
  readonly reason: string;
  readonly raw: string;
  readonly client: string;
}

function Example({ badge, isBad, title, counted, reason, raw, client }: ExampleProps) {
  return (
    <details class="attempt">
      <summary>
        <span class={isBad ? 'badge bad' : 'badge'}>{visible(badge)}</span>{' '}
        {title !== undefined && <strong>{visible(title)} </strong>}
        {counted}
      </summary>
      <p class="reason">{visible(reason)}</p>
      <p class="nothing">{client === '' ? 'An unknown client' : visible(client)} sent:</p>
      <RawView raw={raw} />
    </details>
  );
}

/** `12 messages blocked, last 2 min ago` */
function Counted({ count, lastAt, outcome }: { count: number; lastAt: string; outcome?: string }) {
  return (
    <>
      {plural(count, 'message')}
      {outcome === undefined ? '' : ` ${outcome}`} <time title={lastAt}>last {formatAgo(lastAt, Date.now())}</time>
    </>
  );
}
