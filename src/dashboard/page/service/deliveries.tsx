import { isEnding } from '../../../delivery/attempt-outcome.js';
import type { DeliveryReport } from '../../../service/api/delivery-answers.js';
import { formatRoute } from '../page-route.js';
import { opened, queryOf, setQuery } from '../page-router.js';
import { choice, type Filter, takenBy, text, times } from '../ui/filters.js';
import type { PageList } from '../ui/list.js';
import { get } from './api.js';
import { Bulk } from './bulk.js';
import { useDeliveryDetail } from './delivery.js';
import { keyOfDelivery, namedIn, oldestKeptText, timeOf } from './delivery-keys.js';
import { deliveryColumns, REASONS } from './delivery-list.js';
import { DestinationField } from './destination-field.js';
import { Jobs } from './jobs.js';
import { usePolled } from './poll.js';
import { Pages, usePage } from './stored-list.js';

const LIST = 'GET /v1/deliveries';
const PAGE_SIZE = 50;
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

/** Polls the page of a search. Pages without a delivery are skipped. */
const useDeliveryPage = (search: DeliverySearch | undefined) =>
  usePage(LIST, search && { ...search, limit: String(PAGE_SIZE) }, async (read) => {
    let page = await read();
    for (let empty = 0; page.deliveries.length === 0 && page.next !== undefined && empty < MOST_EMPTY; empty++)
      page = await read(page.next);
    return page;
  });

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
    const polled = useDeliveryPage(found);
    const { deliveries: rows = [], next } = polled.value ?? {};
    const isBusy = polled.isBusy || (found === undefined && problem === '');
    // The service sorts by the end of attempts. A long attempt began before shorter ones that ended first.
    const isOrdered = (query['phase'] ?? '') in ORDERS;
    const items = isOrdered ? rows : [...rows].sort((a, b) => timeOf(b).localeCompare(timeOf(a)));
    const order = items.length === 0 ? undefined : ORDERS[query['phase'] ?? ''];
    return {
      ...{ items, label: order },
      polled: { ...polled, problem: problem || polled.problem, isBusy },
      unlisted: opened.value === '' ? undefined : unlisted(opened.value),
      between: (
        <>
          {items.length > 0 && found !== undefined && (
            // Each search has its own confirmation, because that shows the number of deliveries found.
            <Bulk key={JSON.stringify(query)} query={query} />
          )}
          <Jobs />
          {order !== undefined && <p class="strip note">{order}</p>}
        </>
      ),
      whyNone: next === undefined ? WHY_NONE : 'There are very many, and not all of them were looked at yet.',
      below: (
        <Pages size={PAGE_SIZE} count={items.length} next={next}>
          <p>{polled.value && oldestKeptText(polled.value, Date.now())}</p>
        </Pages>
      ),
    };
  },
};

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
