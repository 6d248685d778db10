import { useEffect, useRef } from 'preact/hooks';
import { formatCount } from '../../../base/text/plural.js';
import type { DestinationReport } from '../../../service/api/answers.js';
import type { DestinationHistory } from '../../../service/api/history-answers.js';
import { formatDuration, formatShare } from '../format.js';
import { formatSpan } from '../moment.js';
import { formatRoute } from '../route.js';
import { go } from '../router.js';
import { Chart } from '../ui/chart.js';
import { Button, Empty, Facts } from '../ui/detail.js';
import { EndpointLine } from '../ui/endpoint-line.js';
import { Names } from '../ui/names.js';
import { visible } from '../ui/visible.js';
import { ApiError, get, pathOf, withQuery } from './api.js';
import { AGE_TITLE, ageOf, failuresSentence, LOOKS, worstOf } from './health.js';
import { Panel } from './panel.js';
import { askAgain, usePolled } from './poll.js';
import { momentOf, Ranges, shownRange, tickOf } from './ranges.js';
import { RecentDeliveries } from './recent-deliveries.js';
import { Forwarding, PauseSwitch } from './switches.js';
import { TestEvent } from './test-event.js';

/** One destination is a small question. */
const ASK_MS = 2_000;
const HISTORY_MS = 5_000;

/** One destination: how it does, what was sent to it, its settings, and its switches. */
export function Destination({ name }: { name: string }) {
  const question = `destination ${name}`;
  const path = pathOf('destinations', name);
  const polled = usePolled(question, (signal) => get<DestinationReport>(path, signal).catch(nullWhereNone), ASK_MS);
  const report = polled.value;
  return (
    <Panel polled={polled}>
      <div class="scrolled destination">
        <p class="back">
          <a href={formatRoute({ view: 'destinations', open: '', query: {} })}>Destinations</a>
        </p>
        {report == null ? (
          <Empty title={`There is no destination ${visible(name)}`}>
            <p>The configuration has none of that name, or no longer.</p>
          </Empty>
        ) : report.state === 'removed' ? (
          <Removed report={report} />
        ) : (
          <>
            <Summary report={report} />
            <PauseSwitch report={report} onChange={() => askAgain(question)} />
            <Charts name={name} />
            <ul class="webhooks" aria-label={`Webhooks of ${visible(name)}`}>
              {report.endpoints.map((endpoint, index) => (
                // Masked URLs of two webhooks may be equal.
                <EndpointLine key={`${index} ${endpoint.url}`} endpoint={endpoint} />
              ))}
            </ul>
            <TestEvent report={report} />
            <RecentDeliveries name={name} />
            <Settings report={report} />
            <Forwarding report={report} onChange={() => askAgain(question)} />
          </>
        )}
      </div>
    </Panel>
  );
}

/** The configuration no longer has it: what it left can go elsewhere, or be let go of. */
const Removed = ({ report }: { report: DestinationReport }) => (
  <>
    <Summary report={report} />
    <p class="about">
      The configuration no longer has this destination, and nothing of what it left is sent by itself. Open its dead
      letters or what waits, and replay that to another destination, or discard it.
    </p>
    <ul class="webhooks" aria-label={`Webhooks of ${visible(report.name)}`}>
      {report.endpoints.map((endpoint, index) => (
        <EndpointLine key={`${index} ${endpoint.url}`} endpoint={endpoint} />
      ))}
    </ul>
    <RecentDeliveries name={report.name} />
  </>
);

/** The configuration may have another by now, which is no fault of the service. */
function nullWhereNone(error: unknown): null {
  if (error instanceof ApiError && error.status === 404) return null;
  throw error;
}

function Summary({ report }: { report: DestinationReport }) {
  const { name, state, lastHour, waiting, deadLetters, counters } = report;
  const age = ageOf(report, Date.now());
  const waitingText = `${formatCount(waiting)}${age === undefined ? '' : ` for ${formatSpan(age)}`}`;
  const worst = worstOf(report);
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // The link that led here is gone, and the focus was on it.
    if (document.activeElement === document.body) title.current?.focus();
  }, []);
  return (
    <>
      <header class="line">
        <h2 tabIndex={-1} ref={title}>
          {visible(name)}
        </h2>
        <span class={`badge ${LOOKS[state]}`}>{state}</span>
        {worst !== undefined && <p class="why">{visible(failuresSentence(worst, Date.now()))}</p>}
      </header>
      <Facts
        of={[
          ['Success, last hour', formatShare(lastHour?.successRate)],
          ['p50', lastHour?.p50Ms == null ? '–' : formatDuration(lastHour.p50Ms)],
          ['p95', lastHour?.p95Ms == null ? '–' : formatDuration(lastHour.p95Ms)],
          [
            'Waiting',
            <Button
              key="waiting"
              look="link"
              label={`${waitingText}, the waiting deliveries of ${visible(name)}, show them`}
              onClick={() => go('deliveries', '', { destination: name, phase: 'waiting' })}
            >
              {waitingText}
            </Button>,
            age === undefined ? undefined : AGE_TITLE,
          ],
          ['Delivered', formatCount(counters.delivered), 'since this process started'],
          ['Given up', formatCount(counters.dead), 'since this process started'],
          [
            'Dead letters',
            <Button
              key="letters"
              look={`link ${deadLetters > 0 ? 'bad' : ''}`}
              label={`${formatCount(deadLetters)} dead letters of ${visible(name)}, show them`}
              onClick={() => go('deliveries', '', { destination: name, phase: 'dead' })}
            >
              {formatCount(deadLetters)}
            </Button>,
          ],
        ]}
      />
    </>
  );
}

function Charts({ name }: { name: string }) {
  const range = shownRange();
  const path = withQuery(pathOf('destinations', name, 'history'), { range });
  const { value, problem } = usePolled(path, (signal) => get<DestinationHistory>(path, signal), HISTORY_MS);
  const points = value?.points ?? [];
  const times = points.map(({ at }) => Date.parse(at));
  const common = { times, formatTick: tickOf, formatTime: momentOf };
  return (
    <section class="charts" aria-label="History">
      <div class="line">
        <h3>History</h3>
        <Ranges />
      </div>
      {value === undefined ? (
        <p class="waiting">{problem || 'Asking for the history …'}</p>
      ) : (
        <div class="plots">
          <Chart
            {...common}
            title="Attempts"
            kind="bars"
            format={formatCount}
            series={[
              { label: 'delivered', colour: '--accent', values: points.map(({ delivered }) => delivered) },
              { label: 'to be tried again', colour: '--page', values: points.map(({ retried }) => retried) },
              { label: 'given up', colour: '--bad', values: points.map(({ dead }) => dead) },
            ]}
          />
          <Chart
            {...common}
            title="Time to answer"
            kind="lines"
            format={(ms) => formatDuration(Math.round(ms))}
            series={[
              { label: 'p50', colour: '--accent', values: points.map(({ p50Ms }) => p50Ms) },
              { label: 'p95', colour: '--identify', values: points.map(({ p95Ms }) => p95Ms) },
            ]}
          />
          <Chart
            {...common}
            title="Waiting"
            kind="area"
            format={formatCount}
            series={[{ label: 'deliveries', colour: '--accent', values: points.map(({ waiting }) => waiting) }]}
          />
        </div>
      )}
    </section>
  );
}

/** What the configuration says of it. */
const Settings = ({
  report: { type, signed, settle, sources, endpoints, configuredEnabled },
}: {
  report: DestinationReport;
}) => (
  <section aria-label="Settings">
    <h3>Settings</h3>
    <p class="about">The configuration has them; the page changes none.</p>
    <Facts
      of={[
        ['Type', type],
        ['Signature', signed ? 'signed' : 'not signed'],
        ['Done when', settle === 'any' ? 'one webhook accepts' : 'each webhook accepts'],
        ['Enabled', configuredEnabled ? 'yes' : 'no'],
        ['Webhooks', String(endpoints.length)],
        ['Sources', sources.length === 0 ? 'no source' : formatCount(sources.length)],
      ]}
    />
    <Names of={sources} />
  </section>
);
