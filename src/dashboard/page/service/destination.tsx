import { useEffect, useRef } from 'preact/hooks';
import { formatCount } from '../../../base/text/plural.js';
import type { DestinationReport } from '../../../service/api/answer-types.js';
import type { DestinationPoint } from '../../../service/api/history-answers.js';
import { formatDuration, formatDurationOrNone, formatShare, sentence } from '../format-values.js';
import { formatRoute } from '../page-route.js';
import type { Plot } from '../ui/chart.js';
import { Empty, type Fact, Facts, Section } from '../ui/detail.js';
import { EndpointLine } from '../ui/endpoint-line.js';
import { Names } from '../ui/names.js';
import { visible } from '../ui/visible.js';
import { ApiError, get, pathOf } from './api.js';
import { DestinationErrors } from './destination-errors.js';
import {
  AGE_TITLE,
  ageOf,
  endText,
  failuresSentence,
  LOOKS,
  sinceText,
  switchText,
  waitingText,
  worstOf,
} from './health-looks.js';
import { History } from './history.js';
import { CountLink } from './overview.js';
import { Panel } from './panel.js';
import { usePolled } from './poll.js';
import { Forwarding, PauseSwitch } from './switches.js';
import { TestEvent } from './test-event.js';

/** The polling interval in ms. It can be short, because reading one destination costs the service little. */
const ASK_MS = 2_000;

const PLOTS: readonly Plot<DestinationPoint>[] = [
  {
    title: 'Attempts',
    kind: 'bars',
    format: formatCount,
    series: [
      { label: 'delivered', colour: '--accent', of: ({ delivered }) => delivered },
      { label: 'to be tried again', colour: '--page', of: ({ retried }) => retried },
      { label: 'failed for good', colour: '--bad', of: ({ dead }) => dead },
    ],
  },
  {
    title: 'Time to answer',
    kind: 'lines',
    format: formatDuration,
    series: [
      { label: 'p50', colour: '--accent', of: ({ p50Ms }) => p50Ms },
      { label: 'p95', colour: '--identify', of: ({ p95Ms }) => p95Ms },
    ],
  },
  {
    title: 'Waiting',
    kind: 'bars',
    format: formatCount,
    series: [{ label: 'deliveries', colour: '--accent', of: ({ waiting }) => waiting }],
  },
];

/** Shows one destination with its health, its deliveries, its settings and its switches. */
export function Destination({ name }: { name: string }) {
  const route = 'GET /v1/destinations/:name';
  const polled = usePolled(
    pathOf(route, { name }),
    (signal) => get(route, { name }, signal).catch(nullWhereNone),
    ASK_MS,
  );
  const report = polled.value;
  const since = report == null ? '' : sinceText(report, Date.now());
  return (
    <Panel polled={polled} trouble={since === '' ? '' : `${visible(name)} failing ${since}`}>
      <div class="scrolled destination">
        <p>
          <a href={formatRoute({ view: 'destinations', open: '', query: {} })}>Destinations</a>
        </p>
        {report == null ? (
          <Empty title={`There is no destination ${visible(name)}`}>
            <p>The configuration has none of that name, or no longer.</p>
          </Empty>
        ) : (
          <>
            <Summary report={report} />
            {report.state === 'removed' ? <Removed report={report} /> : <Configured report={report} />}
          </>
        )}
      </div>
    </Panel>
  );
}

/** An unknown name is not treated as a failure, because the configuration may have changed. */
function nullWhereNone(error: unknown): null {
  if (error instanceof ApiError && error.status === 404) return null;
  throw error;
}

interface ReportProps {
  readonly report: DestinationReport;
}

const Removed = ({ report }: ReportProps) => (
  <>
    <p class="note">
      The configuration no longer has this destination, and nothing of what it left is sent by itself. Open its dead
      letters or what waits, and replay that to another destination, or discard it.
    </p>
    <Webhooks of={report} />
  </>
);

const Configured = ({ report }: ReportProps) => (
  <>
    <PauseSwitch report={report} />
    <History route="GET /v1/destinations/:name/history" name={report.name} plots={PLOTS} />
    <Webhooks of={report} />
    <DestinationErrors name={report.name} />
    <TestEvent report={report} />
    <Settings report={report} />
    <Forwarding report={report} />
  </>
);

function Summary({ report }: ReportProps) {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // The link that was clicked had the focus and no longer exists.
    if (document.activeElement === document.body) title.current?.focus();
  }, []);
  return (
    <>
      <header class="line">
        <h2 tabIndex={-1} ref={title}>
          {visible(report.name)}
        </h2>
        <span class={`badge ${LOOKS[report.state]}`}>{report.state}</span>
        <p class="why">{visible(whyText(report, Date.now()))}</p>
        <a href={formatRoute({ view: 'deliveries', open: '', query: { destination: report.name } })}>Its deliveries</a>
      </header>
      <Facts look="facts figured" of={figuresOf(report, Date.now())} />
    </>
  );
}

function whyText(report: DestinationReport, nowMs: number): string {
  const worst = worstOf(report);
  const failures = worst === undefined ? '' : failuresSentence(worst, nowMs);
  return [switchText(report, nowMs), sinceText(report, nowMs), failures, endText(report, nowMs)]
    .filter(Boolean)
    .map(sentence)
    .join(' ');
}

function figuresOf(report: DestinationReport, nowMs: number): readonly Fact[] {
  const { name, lastHour, deadLetters, counters } = report;
  const dead = formatCount(deadLetters);
  return [
    ['Success, last hour', formatShare(lastHour?.successRate)],
    ['p50', formatDurationOrNone(lastHour?.p50Ms)],
    ['p95', formatDurationOrNone(lastHour?.p95Ms)],
    [
      'Waiting',
      <CountLink key="waiting" text={waitingText(report, nowMs)} of={name} phase="waiting" />,
      ageOf(report, nowMs) === undefined ? undefined : AGE_TITLE,
    ],
    ['Delivered since start', formatCount(counters.delivered), 'since this process started'],
    ['Dead since start', formatCount(counters.dead), 'since this process started'],
    [
      'Dead letters',
      <CountLink key="letters" text={dead} of={name} phase="dead" look={deadLetters > 0 ? 'bad' : ''} />,
    ],
  ];
}

/** Says why nothing goes to the webhooks of a destination; undefined where something may. */
const heldBy = ({ state, paused, enabled, waiting }: DestinationReport): string | undefined =>
  state === 'removed' ? 'removed' : paused ? 'paused' : enabled || waiting > 0 ? undefined : 'off';

const Webhooks = ({ of: report }: { of: DestinationReport }) => (
  <ul class="webhooks" aria-label={`Webhooks of ${visible(report.name)}`}>
    {report.endpoints.map((endpoint, index) => (
      // The masked URLs of two webhooks may be equal.
      <EndpointLine key={`${index} ${endpoint.url}`} endpoint={endpoint} held={heldBy(report)} />
    ))}
  </ul>
);

const Settings = ({ report }: ReportProps) => (
  <Section title="Settings">
    <p class="note">The configuration has them; the page changes none.</p>
    <Facts
      of={[
        ['Type', report.type],
        ['Signature', report.signed ? 'signed' : 'not signed'],
        ['Done when', report.settle === 'any' ? 'one webhook accepts' : 'each webhook accepts'],
        ['Enabled', report.configuredEnabled ? 'yes' : 'no'],
        ['Webhooks', String(report.endpoints.length)],
        ['Sources', report.sources.length === 0 ? 'no source' : formatCount(report.sources.length)],
      ]}
    />
    <Names of={report.sources} />
  </Section>
);
