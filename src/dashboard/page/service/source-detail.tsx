import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { formatCount, plural } from '../../../base/text/plural.js';
import type { SourceReport } from '../../../service/api/answer-types.js';
import type { SourcePoint } from '../../../service/api/history-answers.js';
import { formatAgo } from '../format-values.js';
import { go } from '../page-router.js';
import type { Plot } from '../ui/chart.js';
import type { DetailOf } from '../ui/detail.js';
import { RawView } from '../ui/json-view.js';
import { Names } from '../ui/names.js';
import { visible } from '../ui/visible.js';
import type { AnswerOf } from './api.js';
import { EventsByHour, HOURS } from './events-by-hour.js';
import { History } from './history.js';
import { Answer } from './panel.js';
import { useAnswer } from './poll.js';

const COUNTS_MS = 10_000;

/** Shows a source with its history, its allowed events, and the counts of each event in the last day. */
export function useSourceDetail({ name, destinations, trackSchema, trackingPlan }: SourceReport): DetailOf {
  const { value: counts } = useAnswer('GET /v1/sources/:name/counts', { name, hours: String(HOURS) }, COUNTS_MS);
  return {
    badge: 'source',
    title: name,
    above: <History route="GET /v1/sources/:name/history" name={name} plots={PLOTS} />,
    acts: [{ text: 'Watch its messages live', act: () => go('messages', '', { source: name }) }],
    facts: [
      ['Destinations', listed(destinations) || 'none'],
      ['Allowed events', trackSchema.allowed === null ? 'all' : listed(trackSchema.allowed)],
      ['Blocked events', listed(trackSchema.blocked)],
      ['Tracking plan', trackingPlan === null ? '' : planText(trackingPlan)],
    ],
    below: (
      <>
        <Rejections name={name} />
        {trackingPlan !== null && <Violations name={name} />}
        {counts !== undefined && <EventsByHour counts={counts} />}
      </>
    ),
  };
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

const Rejections = ({ name }: { name: string }) => (
  <Kinds
    title="Why messages were rejected, last 7 days"
    none="No message of this source was rejected lately."
    route="GET /v1/sources/:name/rejections"
    name={name}
    kindOf={({ code, count, example }) => ({
      ...{ key: code, badge: code, look: 'bad', title: '', said: plural(count, 'message') },
      text: example.reason,
    })}
  />
);

const Violations = ({ name }: { name: string }) => (
  <Kinds
    title="Violations of the tracking plan, last 7 days"
    none="No message of this source violated its plan lately."
    route="GET /v1/sources/:name/violations"
    name={name}
    kindOf={({ type, event, path, reason, outcome, count, example: { expected, received } }) => ({
      key: JSON.stringify([type, event, path, reason, outcome]),
      ...{ badge: reason, look: outcome === 'blocked' ? 'bad' : '', title: `${event ?? type} · ${path}` },
      ...{ said: `${plural(count, 'message')} ${outcome}`, text: `expected ${expected}, got ${received}` },
    })}
  />
);

/** How a kind of messages is shown. `said` tells how many there are, and what was done with them. */
type Kind = Readonly<Record<'key' | 'badge' | 'look' | 'title' | 'said' | 'text', string>>;

type KindsRoute = 'GET /v1/sources/:name/rejections' | 'GET /v1/sources/:name/violations';

interface KindsProps<R extends KindsRoute> {
  readonly title: string;
  readonly none: string;
  readonly route: R;
  readonly name: string;
  kindOf(kind: AnswerOf<R>[number]): Kind;
}

/**
 * Lists kinds of messages that were rejected or violate the plan, with an example of each. They are read only when the user opens
 * the list.
 */
function Kinds<R extends KindsRoute>({ title, none, route, name, kindOf }: KindsProps<R>) {
  const [isOpen, setOpen] = useState(false);
  const polled = useAnswer(route, isOpen ? { name } : undefined);
  const draw = (kind: AnswerOf<R>[number]) => {
    const { key, badge, look, title, said, text } = kindOf(kind);
    const { lastAt, example } = kind;
    return (
      <details key={key} class="attempt">
        <summary>
          <span class={`badge ${look}`}>{visible(badge)}</span> {title !== '' && <strong>{visible(title)} </strong>}
          {said} <time title={lastAt}>last {formatAgo(lastAt, Date.now())}</time>
        </summary>
        <p>{visible(text)}</p>
        <p class="note">{example.client === '' ? 'An unknown client' : visible(example.client)} sent:</p>
        <RawView raw={example.raw} />
      </details>
    );
  };
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <h3>{title}</h3>
      </summary>
      {isOpen && (
        <Answer of={polled}>{(kinds) => (kinds.length === 0 ? <p class="note">{none}</p> : kinds.map(draw))}</Answer>
      )}
    </details>
  );
}
