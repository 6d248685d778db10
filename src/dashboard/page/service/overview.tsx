import { formatCount } from '../../../base/text/plural.js';
import type { DestinationPage, SourcePage } from '../../../service/api/answers.js';
import { formatSpan } from '../moment.js';
import { go, showView } from '../router.js';
import { Button, Facts } from '../ui/detail.js';
import { get, withQuery } from './api.js';
import { ageOf } from './health.js';
import { usePolled } from './poll.js';
import { latestStatus, storeText } from './status-line.js';

const SOURCES_MS = 15_000;

/** What comes in, what goes out and what is left, of all sources and destinations together. */
export function Overview({ summary }: { summary: DestinationPage['summary'] }) {
  const path = withQuery('/v1/sources', { limit: '1' });
  const { value: sources } = usePolled(path, (signal) => get<SourcePage>(path, signal), SOURCES_MS);
  const received = sources === undefined ? '–' : formatCount(sources.lastHour.received);
  const rejected = sources?.lastHour.rejected ?? 0;
  const { deadLetters: dead, lastHour } = summary;
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
          ['Rejected, last hour', <Count key="rejected" count={rejected} />, 'Messages that a source refused'],
          ['Out, last hour', formatCount(lastHour.delivered), 'Deliveries that a webhook took'],
          ['Failed attempts', <Count key="failed" count={lastHour.failed} />, 'In the last hour; most are made again'],
          ['Waiting', waitingText(summary, Date.now())],
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

function waitingText(summary: DestinationPage['summary'], nowMs: number): string {
  const age = ageOf(summary, nowMs);
  const count = formatCount(summary.waiting);
  return age === undefined ? count : `${count} for ${formatSpan(age)}`;
}
