import { useLayoutEffect, useState } from 'preact/hooks';
import { formatCount, plural } from '../../../base/text/plural.js';
import type { DeadLetter, DestinationReport } from '../../../service/api/answers.js';
import { withoutScheme } from '../format.js';
import { formatMoment } from '../moment.js';
import { open, opened, queryOf, setQuery } from '../router.js';
import { type Column, column } from '../ui/columns.js';
import { ConfirmButton } from '../ui/confirm-button.js';
import { Button, Empty } from '../ui/detail.js';
import { List } from '../ui/list.js';
import { get } from './api.js';
import { JobProgress } from './bulk-job.js';
import { Choice, TimeRange, timeInQuery } from './filters.js';
import { LetterDetail } from './letter-detail.js';
import type { LetterFilter } from './letter-pages.js';
import { Letters } from './letters.js';
import { Panel } from './panel.js';
import { usePolled } from './poll.js';

const TYPES = ['track', 'identify', 'page', 'screen', 'group', 'alias', 'delete'];

/** Why a delivery was given up, in words. */
const REASONS: Readonly<Record<string, string>> = {
  permanent: 'refused for good',
  'retries-used': 'every attempt failed',
  'window-over': 'retry window over',
  'backlog-full': 'backlog full',
};

const answerOf = ({ endpoints }: DeadLetter): string => {
  const last = endpoints[0]?.attempts.at(-1);
  return last === undefined ? '' : String(last.status ?? last.code ?? last.result);
};

const columns: readonly Column<DeadLetter>[] = [
  column('time', 'Accepted', ['120px'], ({ acceptedAt }) => formatMoment(acceptedAt, Date.now()), {
    title: ({ acceptedAt }) => acceptedAt,
  }),
  column('badge', 'Type', ['74px'], ({ type }) => type, { look: ({ type }) => type }),
  column('title', 'Event and message id', ['minmax(120px, 1fr)', 'minmax(110px, 1fr)'], ({ event, id }) =>
    [event, id].filter(Boolean).join(' · '),
  ),
  column('user', 'Webhook', ['minmax(110px, 1fr)', ''], ({ endpoints }) =>
    endpoints.map(({ url }) => withoutScheme(url)).join(', '),
  ),
  column(
    'source',
    'Why',
    ['140px', ''],
    ({ endpoints: [first] }) => REASONS[first?.reason ?? ''] ?? first?.reason ?? '',
  ),
  column('size end', 'Last answer', ['100px', '90px'], answerOf),
];

/** Shows, replays and discards dead letters. */
export function DeadLetters() {
  const [letters] = useState(() => new Letters());
  const filter: LetterFilter = {
    destination: queryOf('destination'),
    endpoint: queryOf('endpoint'),
    type: queryOf('type'),
    reason: queryOf('reason'),
    from: timeInQuery('from'),
    to: timeInQuery('to'),
  };
  const polled = usePolled(`letters ${JSON.stringify(filter)}`, async (signal) => {
    const destinations = await get<DestinationReport[]>('/v1/destinations', signal);
    const chosen = chosenOf(destinations, filter.destination);
    await letters.refresh({ ...filter, destination: chosen?.name ?? '' }, chosen?.deadLetters ?? 0, signal);
    return destinations;
  });
  const { pages } = letters.shown.value;
  const items = pages?.letters ?? [];
  const chosen = chosenOf(polled.value ?? [], filter.destination);
  // The focus may have been in a letter that is gone.
  useLayoutEffect(() => {
    if (document.activeElement !== document.body) return;
    if (items.length > 0) document.getElementById('list-dead-letters')?.focus();
    else document.querySelector<HTMLElement>('.choices-line select')?.focus();
  }, [items]);
  return (
    <Panel polled={polled}>
      <div class="lead">
        <LetterFilters destinations={polled.value ?? []} chosen={chosen} />
        <Bulk letters={letters} isLoading={polled.isBusy} />
      </div>
      <JobProgress job={letters.job.value} onStop={() => letters.stop()} />
      <List
        name="dead-letters"
        label="Dead letters, oldest first"
        detailLabel="Dead letter"
        columns={columns}
        items={items}
        keyOf={({ id }) => id}
        opened={items.find(({ id }) => id === opened.value)}
        onOpen={open}
        onEnd={() => void letters.showMore()}
        detail={(letter, close) => (
          <LetterDetail
            destination={chosen?.name ?? ''}
            letter={letter}
            close={close}
            act={(what) => letters.act(what, letter.id)}
            read={() => pages?.read(letter.id)}
          />
        )}
        empty={
          <Empty title="No dead letters">
            <p>
              Deliveries that a webhook refused, or did not take in time, stay here until you replay or discard them.
            </p>
          </Empty>
        }
      />
      <div class="more">
        <p>{pages?.hasMore ? `The first ${formatCount(items.length)} are shown.` : ''}</p>
        {pages?.hasMore && <Button onClick={() => void letters.showMore()}>Show more</Button>}
        <p class="changed" role="status">
          {letters.hasChanged.value ? 'The dead letters have changed.' : ''}
        </p>
        {letters.hasChanged.value && (
          <Button look="link" onClick={() => letters.reload()}>
            Reload
          </Button>
        )}
      </div>
    </Panel>
  );
}

/** The one that is asked for, or else one that has dead letters. */
const chosenOf = (destinations: readonly DestinationReport[], name: string): DestinationReport | undefined =>
  destinations.find((each) => each.name === name) ??
  destinations.find(({ deadLetters }) => deadLetters > 0) ??
  destinations[0];

/** Replays or discards all of the filter. The buttons say how many that is, and wait while that is asked. */
function Bulk({ letters, isLoading }: { letters: Letters; isLoading: boolean }) {
  const { pages } = letters.shown.value;
  const { deliveries = 0, hasMore = false } = pages?.count ?? {};
  const { destination, ...fields } = pages?.filter ?? { destination: '' };
  const isFiltered = Object.values(fields).some((value) => value !== '');
  const which = `${isFiltered ? '' : 'all '}${formatCount(deliveries)}${hasMore ? ' or more' : ''}`;
  const isOff = deliveries === 0 || isLoading || letters.isStale.value || letters.job.value !== undefined;
  return (
    <div class="bulk">
      <Button disabled={isOff} onClick={() => void letters.act('replay')}>
        Replay {which}
      </Button>
      <ConfirmButton
        text={`Discard ${which}`}
        question={`What is discarded never reaches its webhook: ${hasMore ? 'at least ' : ''}${plural(deliveries, 'delivery')} cannot be brought back.`}
        disabled={isOff}
        onConfirm={() => letters.act('discard')}
      />
    </div>
  );
}

/** Which dead letters are shown: those of a destination, of one of its webhooks, of a type, given up for a reason. */
function LetterFilters(props: { destinations: readonly DestinationReport[]; chosen: DestinationReport | undefined }) {
  const { destinations, chosen } = props;
  const urls = chosen?.endpoints.map(({ url }) => [url, withoutScheme(url)] as const) ?? [];
  return (
    <div class="choices-line">
      <Choice
        field="destination"
        label="Destination"
        value={chosen?.name ?? ''}
        options={destinations.map(({ name }) => [name, name])}
        onPick={(destination) => setQuery({ destination, endpoint: '', type: '', reason: '', from: '', to: '' })}
      />
      <Choice field="endpoint" label="Webhook" any="all webhooks" options={urls} />
      <Choice field="type" label="Type" any="all types" options={TYPES.map((type) => [type, type] as const)} />
      <Choice field="reason" label="Why" any="all reasons" options={Object.entries(REASONS)} />
      <TimeRange />
    </div>
  );
}
