import { useMemo, useReducer, useRef } from 'preact/hooks';
import { formatCount } from '../../../base/text/plural.js';
import { isEnding } from '../../../delivery/attempt-outcome.js';
import type { DeliveryPage, DeliveryReport } from '../../../service/api/delivery-answers.js';
import { formatRoute } from '../page-route.js';
import { opened, queryOf, setQuery } from '../page-router.js';
import { Button } from '../ui/detail.js';
import { choice, type Filter, takenBy, text, times } from '../ui/filters.js';
import type { PageList } from '../ui/listing.js';
import { get, pathOf, sayProblem } from './api.js';
import { Bulk } from './bulk.js';
import { useDeliveryDetail } from './delivery.js';
import { deliveryColumns, REASONS } from './delivery-list.js';
import { DeliveryPages, keyOfDelivery, namedIn, oldestKeptText } from './delivery-pages.js';
import { DestinationField } from './destination-field.js';
import { Jobs } from './jobs.js';
import { askNow, usePolled } from './poll.js';

const LIST = 'GET /v1/deliveries';
const PAGE = '50';
/** The interval in ms at which the page checks again what the search text is. */
const ASK_MS = 15_000;
/** The maximum number of empty pages that are skipped in a row. The service searches about 10,000 attempts for each page. */
const MOST_EMPTY = 20;

/** The search field accepts any of these, and the page finds out which one was typed. */
const FOUND_BY = ['id', 'user', 'event'] as const;

const pickDestination = (destination: string): void => setQuery({ destination });

const filters: readonly Filter[] = [
  text('find', 'User, event or message id', { placeholder: 'User, event or message id' }),
  {
    ...{ field: 'destination', label: 'Destination' },
    draw: () => <DestinationField label="Destination" value={queryOf('destination')} onPick={pickDestination} />,
  },
  choice(
    ...(['phase', 'Outcome', 'any outcome'] as const),
    ['delivered', 'waiting', 'dead', 'spared'].map((phase) => [phase, phase]),
  ),
  text('endpoint', 'Webhook', { isFolded: true }),
  // Only a part of it may have been typed yet.
  text('status', 'Answer: 503, 5xx, timeout', { isFolded: true, take: (value) => (isEnding(value) ? value : '') }),
  choice('reason', 'Why', 'all reasons', Object.entries(REASONS), {
    ...{ isFolded: true, isMeant: () => queryOf('phase') === 'dead' },
  }),
  choice('by', 'Time of', 'by last attempt', [['acceptance', 'by acceptance']], { isFolded: true }),
  ...times,
];

type DeliverySearch = Readonly<Record<string, string>>;

/** Finds out whether the search text is a message id, a user or an event. `found` is undefined until this is known. */
function useFound({ find = '', ...rest }: DeliverySearch): { found: DeliverySearch | undefined; problem: string } {
  const question = find === '' ? '' : `find ${JSON.stringify({ find, ...rest })}`;
  const ask = async (signal: AbortSignal): Promise<DeliverySearch> => {
    let unsure: string | undefined;
    // The fields are tried one after the other, because the search for an event reads most and is seldom needed.
    for (const field of FOUND_BY) {
      const { deliveries, next } = await get(LIST, { ...rest, [field]: find, limit: '1' }, signal);
      if (deliveries.length > 0) return { find, field };
      if (next !== undefined) unsure ??= field;
    }
    return { find, field: unsure ?? 'id' };
  };
  const { value, problem } = usePolled(question, ask, ASK_MS);
  if (find === '') return { found: rest, problem: '' };
  return { found: value?.['find'] === find ? { ...rest, [value['field'] ?? 'id']: find } : undefined, problem };
}

/** Polls the deliveries of a search. The list is reset by another search, or when the reader asks for the newest. */
function useDeliveryPages(search: DeliverySearch | undefined) {
  const [, drawAgain] = useReducer((times: number) => times + 1, 0);
  const path = search === undefined ? '' : pathOf(LIST, search);
  const isHeld = search?.['phase'] === 'dead' || search?.['phase'] === 'waiting';
  const pages = useMemo(() => new DeliveryPages(isHeld), [path]);
  const isAsking = useRef(false);
  const read = (after?: string, signal?: AbortSignal): Promise<DeliveryPage> =>
    get(LIST, { ...search, limit: PAGE, after }, signal);
  const polled = usePolled(path, async (signal) => {
    let page = await read(undefined, signal);
    for (let empty = 0; page.deliveries.length === 0 && page.next !== undefined && empty < MOST_EMPTY; empty++)
      page = await read(page.next, signal);
    pages.takeFirst(page);
    return page;
  });
  const showMore = async (): Promise<void> => {
    const { next } = pages;
    if (next === undefined || isAsking.current) return;
    isAsking.current = true;
    try {
      pages.takeOlder(next, await read(next));
      drawAgain(undefined);
    } catch (error) {
      sayProblem(error);
    }
    isAsking.current = false;
  };
  return { polled, pages, showMore };
}

/** Describes the order of lists that do not begin with the latest attempt. */
const ORDERS: Readonly<Record<string, string>> = {
  dead: 'Dead letters by destination, oldest first',
  waiting: 'Waiting deliveries by destination, next first',
};

/** The deliveries that match a search: those that were attempted recently, waiting ones and dead letters. */
export const deliveries: PageList<DeliveryReport> = {
  ...{ name: 'deliveries', label: 'Deliveries, latest attempt first', noun: 'Delivery', filters },
  none: [
    'No deliveries yet',
    'Each event that is sent to a webhook is one line, with its answer. Send a test event to try a destination.',
  ],
  columns: deliveryColumns,
  keyOf: keyOfDelivery,
  useDetail: useDeliveryDetail,
  useRows() {
    const search = takenBy(filters);
    const { found, problem } = useFound(search);
    const query = found ?? search;
    const { polled, pages, showMore } = useDeliveryPages(found);
    const isBusy = polled.isBusy || (found === undefined && problem === '');
    // The previous deliveries stay visible until the first results arrive.
    const items = pages.rows ?? polled.value?.deliveries ?? [];
    const order = items.length === 0 ? undefined : ORDERS[query['phase'] ?? ''];
    return {
      ...{ items, label: order, onEnd: showMore },
      polled: { ...polled, problem: problem || polled.problem, isBusy },
      unlisted: opened.value === '' ? undefined : unlisted(opened.value),
      between: (
        <>
          {items.length > 0 && found !== undefined && (
            // The confirmation is made anew for each search, because it shows the number of deliveries found.
            <Bulk key={JSON.stringify(query)} query={query} />
          )}
          <Jobs />
          {order !== undefined && <p class="strip note">{order}</p>}
        </>
      ),
      whyNone: pages.next === undefined ? WHY_NONE : 'There are very many, and not all of them were looked at yet.',
      below: <Foot page={polled.value} {...{ pages, showMore }} />,
    };
  },
};

interface FootProps {
  readonly page: DeliveryPage | undefined;
  readonly pages: DeliveryPages;
  showMore(): Promise<void>;
}

/** Shows how much of the list is displayed, and since when it is complete. */
const Foot = ({ page, pages, showMore }: FootProps) => (
  <div class="low bar note">
    <p>
      {page !== undefined && `${oldestKeptText(page, Date.now())} `}
      {pages.next !== undefined && `The first ${formatCount(pages.rows?.length ?? 0)} are shown.`}
    </p>
    {pages.next !== undefined && <Button onClick={showMore}>Show more</Button>}
    <p role="status">{pages.fresh > 0 && `${formatCount(pages.fresh)}${pages.hasGap ? ' or more' : ''} new.`}</p>
    {pages.fresh > 0 && (
      <Button look="link" onClick={() => beginAnew(pages)}>
        Show them
      </Button>
    )}
  </div>
);

function beginAnew(pages: DeliveryPages): void {
  pages.beginAnew();
  askNow();
  const list = document.getElementById('list-deliveries');
  list?.scrollTo(0, 0);
  list?.focus();
}

const to = (view: string, name: string) => <a href={formatRoute({ view, open: '', query: {} })}>{name}</a>;

/** Names each reason why an event may have no delivery, and where to look. */
const WHY_NONE = (
  <>
    Either the event never came, or its source rejected or blocked it ({to('sources', 'Sources')}), or it excluded the
    destination by its <code>integrations</code>, or the destination was off or the event discarded (
    {to('changes', 'Changes')}), or its user was deleted ({to('deletions', 'Deletions')}), or it was delivered too long
    ago to be kept.
  </>
);

/** Makes a placeholder for a delivery that the address names but the list does not contain. */
function unlisted(key: string): DeliveryReport {
  const none = { type: 'track', acceptedAt: '', phase: 'retrying', attempts: 0 } as const;
  const last = { lastAttemptAt: null, result: null, durationMs: null, nextAttemptAt: null } as const;
  return { ...none, ...last, ...namedIn(key), webhook: { url: '' } };
}
