import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { formatCount, plural } from '../../../base/text/plural.js';
import type { HourCount, SourceReport } from '../../../service/api/answer-types.js';
import type { RejectionReport, SourcePoint, ViolationReport } from '../../../service/api/history-answers.js';
import { formatAgo } from '../format-values.js';
import { go } from '../page-router.js';
import type { Plot } from '../ui/chart.js';
import { Button, Facts, Head } from '../ui/detail.js';
import { RawView } from '../ui/json-view.js';
import { Names } from '../ui/names.js';
import { visible } from '../ui/visible.js';
import { pathOf } from './api.js';
import { EventsByHour, HOURS } from './events-by-hour.js';
import { History } from './history.js';
import { Answer } from './panel.js';
import { useAnswer } from './poll.js';

const COUNTS_MS = 10_000;

/** Shows a source with its history, its allowed events, and the counts of each event in the last day. */
export function SourceDetail({ source, close }: { source: SourceReport; close(): void }) {
  const { name, destinations, trackSchema, trackingPlan } = source;
  const path = `${pathOf('sources', name, 'counts')}?hours=${HOURS}`;
  const { value: counts } = useAnswer<HourCount[]>(path, COUNTS_MS);
  return (
    <>
      <Head badge="source" look="" title={name} onClose={close} />
      <History of={pathOf('sources', name)} plots={PLOTS} />
      <div class="sides line">
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
      <Kinds
        title="Why messages were rejected, last 7 days"
        path={pathOf('sources', name, 'rejections')}
        none="No message of this source was rejected lately."
        kindOf={rejectedKind}
      />
      {trackingPlan !== null && (
        <Kinds
          title="Violations of the tracking plan, last 7 days"
          path={pathOf('sources', name, 'violations')}
          none="No message of this source violated its plan lately."
          kindOf={violatingKind}
        />
      )}
      {counts !== undefined && <EventsByHour counts={counts} />}
    </>
  );
}

const listed = (names: readonly string[]): ComponentChildren => (names.length === 0 ? '' : <Names of={names} />);

/** Describes how many events a plan has, and what happens to messages that violate it. */
function planText({ events, onViolation, onUnknownEvent }: NonNullable<SourceReport['trackingPlan']>): string {
  const unknown = onUnknownEvent === onViolation ? '' : `, unknown events: ${onUnknownEvent}`;
  return `${plural(events, 'event')}; violations: ${onViolation}${unknown}`;
}

/** Blocked messages are included in `received`, and rejected ones are not. */
const PLOTS: readonly Plot<SourcePoint>[] = [
  {
    title: 'Messages',
    kind: 'bars',
    format: formatCount,
    series: [
      { label: 'received', colour: '--accent', of: ({ received, blocked }) => received - blocked },
      { label: 'blocked', colour: '--page', of: ({ blocked }) => blocked },
      { label: 'rejected', colour: '--bad', of: ({ rejected }) => rejected },
    ],
  },
];

/** A kind of message that was rejected or violates the plan, with an example. */
interface Kind {
  readonly key: string;
  readonly badge: string;
  readonly look: string;
  readonly title: string;
  readonly count: number;
  readonly outcome: string;
  readonly lastAt: string;
  readonly reason: string;
  readonly raw: string;
  readonly client: string;
}

const rejectedKind = ({ code, count, lastAt, example }: RejectionReport): Kind => ({
  ...{ key: code, badge: code, look: 'bad', title: '', count, outcome: '', lastAt },
  ...example,
});

function violatingKind({ type, event, path, reason, outcome, count, lastAt, example }: ViolationReport): Kind {
  const { expected, received, raw, client } = example;
  return {
    ...{ key: JSON.stringify([type, event, path, reason, outcome]), badge: reason },
    ...{ look: outcome === 'blocked' ? 'bad' : '', title: `${event ?? type} · ${path}`, count, outcome, lastAt },
    ...{ reason: `expected ${expected}, got ${received}`, raw, client },
  };
}

interface KindsProps<T> {
  readonly title: string;
  readonly path: string;
  readonly none: string;
  kindOf(report: T): Kind;
}

/** Lists kinds of messages with an example of each. They are read only when the user opens the list. */
function Kinds<T>({ title, path, none, kindOf }: KindsProps<T>) {
  const [isOpen, setOpen] = useState(false);
  const polled = useAnswer<T[]>(isOpen ? path : '');
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <h3>{title}</h3>
      </summary>
      {isOpen && (
        <Answer of={polled}>
          {(reports) =>
            reports.length === 0 ? (
              <p class="note">{none}</p>
            ) : (
              reports.map(kindOf).map(({ key, ...kind }) => <Example key={key} {...kind} />)
            )
          }
        </Answer>
      )}
    </details>
  );
}

const Example = ({ badge, look, title, count, outcome, lastAt, reason, raw, client }: Omit<Kind, 'key'>) => (
  <details class="attempt">
    <summary>
      <span class={`badge ${look}`}>{visible(badge)}</span> {title !== '' && <strong>{visible(title)} </strong>}
      {`${plural(count, 'message')} ${outcome}`.trim()} <time title={lastAt}>last {formatAgo(lastAt, Date.now())}</time>
    </summary>
    <p>{visible(reason)}</p>
    <p class="note">{client === '' ? 'An unknown client' : visible(client)} sent:</p>
    <RawView raw={raw} />
  </details>
);
