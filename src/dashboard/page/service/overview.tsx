import { formatCount } from '../../../base/text/plural.js';
import type { DestinationPage } from '../../../service/api/answer-types.js';
import { go, showView } from '../page-router.js';
import { Button, Facts } from '../ui/detail.js';
import { visible } from '../ui/visible.js';
import { waitingText } from './health-looks.js';
import { useAnswer } from './poll.js';
import { latestStatus, storeText } from './status-line.js';

const SOURCES_MS = 15_000;

/** Shows the totals of all sources and destinations: what was received, what was delivered and what is left. */
export function Overview({ summary }: { summary: DestinationPage['summary'] }) {
  const { value: sources } = useAnswer('GET /v1/sources', { limit: '1' }, SOURCES_MS);
  const received = sources === undefined ? '–' : formatCount(sources.lastHour.received);
  const { deadLetters, lastHour } = summary;
  const store = latestStatus.value?.store;
  return (
    <section class="strip" aria-label="All of the service">
      <Facts
        look="facts figured"
        of={[
          [
            'In, last hour',
            <Button
              key="in"
              look="link"
              aria-label={`${received} events came in the last hour, show the sources`}
              onClick={() => showView('sources')}
            >
              {received}
            </Button>,
          ],
          ['Rejected, last hour', badCount(sources?.lastHour.rejected ?? 0), 'Messages that a source refused'],
          ['Out, last hour', formatCount(lastHour.delivered), 'Deliveries that a webhook took'],
          ['Failed attempts', badCount(lastHour.failed), 'In the last hour; most are made again'],
          ['Waiting', waitingText(summary, Date.now())],
          [
            'Dead letters',
            <CountLink key="dead" text={formatCount(deadLetters)} phase="dead" look={deadLetters > 0 ? 'bad' : ''} />,
          ],
          ['Store', store === undefined ? '' : storeText(store)],
        ]}
      />
    </section>
  );
}

const badCount = (count: number) => <span class={count > 0 ? 'bad' : ''}>{formatCount(count)}</span>;

const COUNTED = { dead: ' dead letters', waiting: ', the waiting deliveries' } as const;

/** Shows a number of deliveries, of one destination or of all, as a link to them. */
export const CountLink = (props: { text: string; phase: keyof typeof COUNTED; of?: string; look?: string }) => {
  const { text, phase, of = '', look = '' } = props;
  return (
    <Button
      look={`link ${look}`}
      aria-label={`${text}${COUNTED[phase]}${of === '' ? '' : ` of ${visible(of)}`}, show them`}
      onClick={() => go('deliveries', '', { destination: of, phase })}
    >
      {text}
    </Button>
  );
};
