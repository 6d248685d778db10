import { useMemo, useReducer, useRef, useState } from 'preact/hooks';
import { formatCount } from '../../../base/text/plural.js';
import type { DestinationReport } from '../../../service/api/answer-types.js';
import type { DeliveryPage, DeliveryReport } from '../../../service/api/delivery-answers.js';
import { formatRoute } from '../page-route.js';
import { opened, queryOf, setQuery } from '../page-router.js';
import { Button, Empty } from '../ui/detail.js';
import { FilterField, NoMatch } from '../ui/filter-field.js';
import { List } from '../ui/list.js';
import { get, pathOf, sayProblem, withQuery } from './api.js';
import { Bulk } from './bulk.js';
import { DeliveryDetail } from './delivery.js';
import { deliveryColumns, REASONS } from './delivery-list.js';
import { DeliveryPages, keyOfDelivery, namedIn, oldestKeptText } from './delivery-pages.js';
import {
  Choice,
  type ChosenField,
  chosenIn,
  DestinationField,
  Ignored,
  resultInQuery,
  TimeRange,
  timeInQuery,
} from './filters.js';
import { Jobs } from './jobs.js';
import { Panel } from './panel.js';
import { askAgain, usePolled } from './poll.js';

const PAGE = '50';
/** The interval in ms at which the page checks again what the search text is, and whether a destination was removed. */
const ASK_MS = 15_000;
/** The maximum number of empty pages that are skipped in a row. The service searches about 10,000 attempts for each page. */
const MOST_EMPTY = 20;

const TEXTS = { endpoint: 'Webhook', status: 'Answer: 503, 5xx, timeout' } as const;

/** The search field accepts any of these, and the page finds out which one was typed. */
const FOUND_BY = ['id', 'user', 'event'] as const;

const CHOICES = {
  phase: {
    ...{ field: 'phase', label: 'Outcome', any: 'any outcome' },
    options: [
      ['delivered', 'delivered'],
      ['waiting', 'waiting'],
      ['dead', 'dead'],
      ['spared', 'spared'],
    ],
  },
  reason: { field: 'reason', label: 'Why', any: 'all reasons', options: Object.entries(REASONS) },
  by: { field: 'by', label: 'Time of', any: 'by last attempt', options: [['acceptance', 'by acceptance']] },
} as const satisfies Record<string, ChosenField>;

const FOLDED = [...Object.keys(TEXTS), 'reason', 'by', 'from', 'to'];
const FIELDS = [...FOLDED, 'find', 'destination', 'phase'];

/** Describes the order of lists that do not begin with the latest attempt. */
const ORDERS: Readonly<Record<string, string>> = {
  dead: 'Dead letters by destination, oldest first',
  waiting: 'Waiting deliveries by destination, next first',
};

/** Reads the fields of the page's address in the form that the API accepts. */
function searchOf(): Record<string, string> {
  const chosen = Object.values(CHOICES).map((choice) => [choice.field, chosenIn(choice)]);
  const search = Object.fromEntries([
    ...FIELDS.map((field) => [field, queryOf(field).trim()]),
    ...chosen,
    ['status', resultInQuery()],
    ...(['from', 'to'] as const).map((field) => [field, timeInQuery(field)]),
  ]);
  // Only dead letters have a reason.
  return { ...search, ...(search['phase'] !== 'dead' && { reason: '' }) };
}

/** Finds out whether the search text is a message id, a user or an event. `found` is undefined until this is known. */
function useFound(search: Readonly<Record<string, string>>) {
  const { find = '', ...rest } = search;
  const { value, problem } = usePolled<{ find: string; field: (typeof FOUND_BY)[number] }>(
    find === '' ? '' : `find ${JSON.stringify(search)}`,
    async (signal) => {
      let unsure: (typeof FOUND_BY)[number] | undefined;
      // The fields are tried one after the other, because the search for an event reads most and is seldom needed.
      for (const field of FOUND_BY) {
        const path = withQuery('/v1/deliveries', { ...rest, [field]: find, limit: '1' });
        const { deliveries, next } = await get<DeliveryPage>(path, signal);
        if (deliveries.length > 0) return { find, field };
        if (next !== undefined) unsure ??= field;
      }
      return { find, field: unsure ?? 'id' };
    },
    ASK_MS,
  );
  if (find === '') return { found: rest, problem: '' };
  return { found: value?.find === find ? { ...rest, [value.field]: find } : undefined, problem };
}

/** Lists the deliveries that match a search: those that were attempted recently, waiting ones and dead letters. */
export function Deliveries() {
  const search = searchOf();
  const { found, problem } = useFound(search);
  const query = found ?? search;
  const { polled, pages, showMore, beginAnew, askNow } = useDeliveryPages(found);
  const isRemoved = useIsRemoved(query['destination'] ?? '');
  const isBusy = polled.isBusy || (found === undefined && problem === '');
  // The previous deliveries stay visible until the first results arrive.
  const deliveries = pages.rows ?? polled.value?.deliveries ?? [];
  const order = ORDERS[query['phase'] ?? ''];
  const isFiltered = FIELDS.some((field) => queryOf(field) !== '');
  return (
    <Panel polled={{ ...polled, problem: problem || polled.problem, isBusy }} isDrawnAlways>
      <Filters isDead={query['phase'] === 'dead'} />
      {deliveries.length > 0 && found !== undefined && (
        // The confirmation is made anew for each search, because it shows the number of deliveries found.
        <Bulk key={JSON.stringify(query)} query={query} isRemoved={isRemoved} onDone={askNow} />
      )}
      <Ignored
        of={[
          ...Object.values(CHOICES).map((choice) => [choice.field, choice.label, chosenIn(choice)] as const),
          ['status', 'Answer', resultInQuery()],
          ['from', 'From', timeInQuery('from')],
          ['to', 'Until', timeInQuery('to')],
        ]}
      />
      <Jobs />
      {order !== undefined && deliveries.length > 0 && <p class="strip note">{order}</p>}
      <List
        name="deliveries"
        label={order ?? 'Deliveries, latest attempt first'}
        detailLabel="Delivery"
        columns={deliveryColumns}
        items={deliveries}
        keyOf={keyOfDelivery}
        unlisted={opened.value === '' ? undefined : unlisted(opened.value)}
        onEnd={() => void showMore()}
        detail={(delivery, close) => <DeliveryDetail delivery={delivery} close={close} />}
        empty={isFiltered ? <NoneFound hasMore={pages.next !== undefined} /> : <NoneKept />}
      />
      <Foot page={polled.value} {...{ pages, showMore, beginAnew }} />
    </Panel>
  );
}

interface FootProps {
  readonly page: DeliveryPage | undefined;
  readonly pages: DeliveryPages;
  showMore(): Promise<void>;
  beginAnew(): void;
}

/** Shows how much of the list is displayed, and since when it is complete. */
const Foot = ({ page, pages, showMore, beginAnew }: FootProps) => (
  <div class="low bar note">
    <p>
      {page !== undefined && `${oldestKeptText(page, Date.now())} `}
      {pages.next !== undefined && `The first ${formatCount(pages.rows?.length ?? 0)} are shown.`}
    </p>
    {pages.next !== undefined && <Button onClick={() => void showMore()}>Show more</Button>}
    <p role="status">{pages.fresh > 0 && `${formatCount(pages.fresh)}${pages.hasGap ? ' or more' : ''} new.`}</p>
    {pages.fresh > 0 && (
      <Button look="link" onClick={beginAnew}>
        Show them
      </Button>
    )}
  </div>
);

/** Finds out whether a destination is no longer configured. */
function useIsRemoved(name: string): boolean {
  const path = pathOf('destinations', name);
  const ask = (signal: AbortSignal) => get<DestinationReport>(path, signal).catch(() => undefined);
  const { value } = usePolled(name === '' ? '' : path, ask, ASK_MS);
  return value?.name === name && value.state === 'removed';
}

/** Polls the deliveries of a search. The list is reset by another search, or when the reader asks for the newest. */
function useDeliveryPages(query: Readonly<Record<string, string>> | undefined) {
  const pathAt = (after?: string): string =>
    query === undefined ? '' : withQuery('/v1/deliveries', { ...query, limit: PAGE, after });
  const path = pathAt();
  const [, drawAgain] = useReducer((times: number) => times + 1, 0);
  const isHeld = query?.['phase'] === 'dead' || query?.['phase'] === 'waiting';
  const pages = useMemo(() => new DeliveryPages(isHeld), [path]);
  const isAsking = useRef(false);
  const polled = usePolled(path, async (signal) => {
    let page = await get<DeliveryPage>(path, signal);
    for (let empty = 0; page.deliveries.length === 0 && page.next !== undefined && empty < MOST_EMPTY; empty++)
      page = await get<DeliveryPage>(pathAt(page.next), signal);
    pages.takeFirst(page);
    return page;
  });
  const showMore = async (): Promise<void> => {
    const { next } = pages;
    if (next === undefined || isAsking.current) return;
    isAsking.current = true;
    try {
      pages.takeOlder(next, await get<DeliveryPage>(pathAt(next)));
      drawAgain(undefined);
    } catch (error) {
      sayProblem(error);
    }
    isAsking.current = false;
  };
  const beginAnew = (): void => {
    pages.beginAnew();
    askAgain(path);
    const list = document.getElementById('list-deliveries');
    list?.scrollTo(0, 0);
    list?.focus();
  };
  return { polled, pages, showMore, beginAnew, askNow: () => askAgain(path) };
}

function Filters({ isDead }: { isDead: boolean }) {
  const [isShown, setShown] = useState(false);
  const used = FOLDED.filter((field) => queryOf(field) !== '').length;
  const { phase, reason, by } = CHOICES;
  const chosen = (choice: ChosenField) => (
    <Choice {...choice} value={chosenIn(choice)} onPick={(value) => setQuery({ [choice.field]: value })} />
  );
  return (
    <search class="strip many">
      <FilterField query="find" label="User, event or message id" placeholder="User, event or message id" />
      <DestinationField
        label="Destination"
        value={queryOf('destination')}
        onPick={(destination) => setQuery({ destination })}
      />
      {chosen(phase)}
      <Button expanded={isShown} onClick={() => setShown(!isShown)}>
        {used === 0 ? 'More filters' : `More filters: ${formatCount(used)} set`}
      </Button>
      {isShown && (
        <>
          {Object.entries(TEXTS).map(([field, label]) => (
            <FilterField key={field} query={field} label={label} />
          ))}
          {isDead && chosen(reason)}
          {chosen(by)}
          <TimeRange />
        </>
      )}
    </search>
  );
}

const to = (view: string, text: string) => <a href={formatRoute({ view, open: '', query: {} })}>{text}</a>;

/** Names each reason why an event may have no delivery, and where to look. */
const WHY_NONE = (
  <>
    Either the event never came, or its source rejected or blocked it ({to('sources', 'Sources')}), or it excluded the
    destination by its <code>integrations</code>, or the destination was off or the event discarded (
    {to('changes', 'Changes')}), or its user was deleted ({to('deletions', 'Deletions')}), or it was delivered too long
    ago to be kept.
  </>
);

const NoneFound = ({ hasMore }: { hasMore: boolean }) => (
  <NoMatch title="No delivery matches" fields={FIELDS}>
    {hasMore ? 'There are very many, and not all of them were looked at yet.' : WHY_NONE}
  </NoMatch>
);

const NoneKept = () => (
  <Empty
    title="No deliveries yet"
    text="Each event that is sent to a webhook is one line, with its answer. Send a test event to try a destination."
  />
);

/** Makes a placeholder for a delivery that the address names but the list does not contain. */
function unlisted(key: string): DeliveryReport {
  const none = { type: 'track', acceptedAt: '', phase: 'retrying', attempts: 0 } as const;
  const last = { lastAttemptAt: null, result: null, durationMs: null, nextAttemptAt: null } as const;
  return { ...none, ...last, ...namedIn(key), webhook: { url: '' } };
}
