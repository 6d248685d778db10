import { formatCount } from '../../../base/text/plural.js';
import type { DestinationReport, SourceReport } from '../../../service/api/answers.js';
import { formatSpan, msOf } from '../moment.js';
import { go, showView } from '../router.js';
import { Button, Facts } from '../ui/detail.js';
import { get } from './api.js';
import { usePolled } from './poll.js';
import { latestStatus, storeText } from './status-line.js';

const SOURCES_MS = 15_000;

const sum = <T,>(list: readonly T[], numberOf: (each: T) => number): number =>
  list.reduce((total, each) => total + numberOf(each), 0);

/** What comes in, what goes out and what is left, of all sources and destinations together. */
export function Overview({ destinations }: { destinations: readonly DestinationReport[] }) {
  const { value: sources } = usePolled('sources', (signal) => get<SourceReport[]>('/v1/sources', signal), SOURCES_MS);
  const received = sources === undefined ? '–' : formatCount(sum(sources, ({ lastHour }) => lastHour.received));
  const points = destinations.flatMap(({ lastHour }) => lastHour.points);
  const failed = sum(points, (point) => point.failed);
  const rejected = sum(sources ?? [], ({ lastHour }) => lastHour.rejected);
  const dead = sum(destinations, ({ deadLetters }) => deadLetters);
  const store = latestStatus.value?.store;
  return (
    <section class="overview" aria-label="All of the service">
      <Facts
        of={[
          [
            'In, last hour',
            <Button
              key="in"
              look="link"
              label={`${received} events came in the last hour, show the sources`}
              onClick={() => showView('sources')}
            >
              {received}
            </Button>,
          ],
          ['Rejected', <Count key="rejected" count={rejected} />, 'Messages of the last hour that a source refused'],
          ['Out, last hour', formatCount(sum(points, ({ delivered }) => delivered)), 'Deliveries that a webhook took'],
          ['Failed attempts', <Count key="failed" count={failed} />, 'In the last hour; most are made again'],
          ['Waiting', waitingText(destinations, Date.now())],
          [
            'Dead letters',
            <Button
              key="dead"
              look={`link ${dead > 0 ? 'bad' : ''}`}
              label={`${formatCount(dead)} dead letters, show them`}
              onClick={() => go('deliveries', '', { phase: 'dead' })}
            >
              {formatCount(dead)}
            </Button>,
          ],
          ['Store', store === undefined ? '' : storeText(store)],
        ]}
      />
    </section>
  );
}

const Count = ({ count }: { count: number }) => <span class={count > 0 ? 'bad' : ''}>{formatCount(count)}</span>;

function waitingText(destinations: readonly DestinationReport[], nowMs: number): string {
  const since = destinations.flatMap(({ waiting, oldestWaitingAt }) =>
    waiting > 0 ? (msOf(oldestWaitingAt) ?? []) : [],
  );
  const count = formatCount(sum(destinations, ({ waiting }) => waiting));
  return since.length === 0 ? count : `${count} for ${formatSpan(nowMs - Math.min(...since))}`;
}
