import type { ComponentChildren } from 'preact';
import { useMemo, useReducer, useRef, useState } from 'preact/hooks';
import { formatCount, plural } from '../../../base/text/plural.js';
import type { DestinationReport } from '../../../service/api/answers.js';
import type { DeliveryExplanation, DeliveryPage, RecentDelivery } from '../../../service/api/delivery-answers.js';
import { inOneLine, userOf } from '../format.js';
import { formatAgo, formatMoment } from '../moment.js';
import { open, opened, queryOf, setQuery } from '../router.js';
import { Button, Empty, Facts, Head } from '../ui/detail.js';
import { JsonView } from '../ui/json-view.js';
import { List } from '../ui/list.js';
import { copy } from '../ui/toast.js';
import { get, pathOf, sayProblem, withQuery } from './api.js';
import { Explanations } from './delivery.js';
import { destinationIn, keyOfDelivery, messageIdOf } from './delivery-key.js';
import { deliveryColumns } from './delivery-list.js';
import { DeliveryPages } from './delivery-pages.js';
import { ReplayFound } from './delivery-replay.js';
import { Choice, TimeRange, timeInQuery } from './filters.js';
import { Panel } from './panel.js';
import { askAgain, usePolled } from './poll.js';

const PAGE = '50';
/** How often the names of the destinations are asked for. */
const NAMES_MS = 60_000;
const FIELDS = ['id', 'user', 'event', 'endpoint', 'status', 'destination', 'phase', 'from', 'to'] as const;
type Field = (typeof FIELDS)[number];

const TEXTS: readonly (readonly [field: Field, label: string])[] = [
  ['id', 'Message id'],
  ['user', 'User'],
  ['event', 'Event or type'],
  ['endpoint', 'Webhook'],
  ['status', 'Answer: 503, 5xx, timeout'],
];

const OUTCOMES = [
  ['delivered', 'delivered'],
  ['retrying', 'retrying'],
  ['dead', 'given up'],
] as const;

/** What was sent of late, by all processes: found by what one knows of it. */
export function Deliveries() {
  const query = Object.fromEntries(FIELDS.map((field) => [field, inQuery(field)]));
  const { polled, pages, showMore, beginAnew } = useDeliveryPages(query);
  // Those of the search before stay in sight until the first are found.
  const deliveries = pages.rows ?? polled.value?.deliveries ?? [];
  const shown = deliveries.find((delivery) => keyOfDelivery(delivery) === opened.value);
  const isFiltered = FIELDS.some((field) => queryOf(field) !== '');
  const since = polled.value?.since;
  return (
    <Panel polled={polled}>
      <Filters>
        <ReplayFound query={query} />
      </Filters>
      <List
        name="deliveries"
        label="Deliveries, latest attempt first"
        detailLabel="Delivery"
        columns={deliveryColumns}
        items={deliveries}
        keyOf={keyOfDelivery}
        opened={shown ?? (opened.value === '' ? undefined : unlisted(opened.value))}
        onOpen={open}
        onEnd={() => void showMore()}
        onKey={(event) => {
          if (event.key !== '/') return;
          event.preventDefault();
          document.querySelector<HTMLElement>('.many input')?.focus();
        }}
        detail={(delivery, close) => <DeliveryDetail delivery={delivery} close={close} />}
        empty={isFiltered ? <NoneFound /> : <NoneKept />}
      />
      <div class="more">
        <p>
          {since == null ? '' : `Kept since ${formatMoment(since, Date.now())}. `}
          {pages.next !== undefined && `The first ${formatCount(deliveries.length)} are shown.`}
        </p>
        {pages.next !== undefined && <Button onClick={() => void showMore()}>Show more</Button>}
        <p class="changed" role="status">
          {pages.fresh > 0 && `${formatCount(pages.fresh)}${pages.hasGap ? ' or more' : ''} new.`}
        </p>
        {pages.fresh > 0 && (
          <Button look="link" onClick={beginAnew}>
            Show them
          </Button>
        )}
      </div>
    </Panel>
  );
}

/** A field as the service takes it. */
const inQuery = (field: Field): string =>
  field === 'from' || field === 'to' ? timeInQuery(field) : queryOf(field).trim();

/** The list of a search, which begins anew when the search does, or when its reader asks for that. */
function useDeliveryPages(query: Readonly<Record<string, string>>) {
  const pathAt = (after?: string): string => withQuery('/v1/deliveries', { ...query, limit: PAGE, after });
  const path = pathAt();
  const [, drawAgain] = useReducer((times: number) => times + 1, 0);
  const pages = useMemo(() => new DeliveryPages(), [path]);
  const isAsking = useRef(false);
  const polled = usePolled(path, async (signal) => {
    const page = await get<DeliveryPage>(path, signal);
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
  return { polled, pages, showMore, beginAnew };
}

function Filters({ children }: { children: ComponentChildren }) {
  const { value: destinations = [] } = usePolled(
    'destinations',
    (signal) => get<DestinationReport[]>('/v1/destinations', signal),
    NAMES_MS,
  );
  const [isShown, setShown] = useState(false);
  const used = FIELDS.filter((field) => queryOf(field) !== '').length;
  return (
    <search class={`filters many ${isShown ? 'shown' : ''}`}>
      <button type="button" class="quiet framed" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
        {used === 0 ? 'Search' : `Search: ${plural(used, 'field')} set`}
      </button>
      {TEXTS.map(([field, label]) => (
        <label class="field plain" key={field}>
          <span class="hidden">{label}</span>
          <input
            type="search"
            placeholder={label}
            autocomplete="off"
            spellcheck={false}
            value={queryOf(field)}
            onInput={({ currentTarget }) => setQuery({ [field]: currentTarget.value })}
          />
        </label>
      ))}
      <Choice
        field="destination"
        label="Destination"
        any="all destinations"
        options={destinations.map(({ name }) => [name, name])}
      />
      <Choice field="phase" label="Outcome" any="any outcome" options={OUTCOMES} />
      <TimeRange />
      {children}
    </search>
  );
}

const NoneFound = () => (
  <Empty title="No delivery matches">
    <p>Deliveries are kept for a while, and fewer of them where there are many.</p>
    <Button onClick={() => setQuery(Object.fromEntries(FIELDS.map((field) => [field, ''])))}>Reset filters</Button>
  </Empty>
);

const NoneKept = () => (
  <Empty title="No deliveries yet">
    <p>Each event that is sent to a webhook is one line, with its answer. Send a test event to try a destination.</p>
  </Empty>
);

/** One that the address names and the list does not hold. */
function unlisted(key: string): RecentDelivery {
  const none = { type: 'track', source: null, acceptedAt: '', phase: 'retrying', attempts: 0 } as const;
  const last = { lastAttemptAt: '', result: '', durationMs: 0, nextAttemptAt: null } as const;
  return { ...none, ...last, id: messageIdOf(key), destination: destinationIn(key), webhook: { url: '' } };
}

/** Its event and its user, by the message where the list does not hold it. */
function titleOf(delivery: RecentDelivery, message: unknown): string {
  const fields: Readonly<Record<string, unknown>> = { ...Object(message), ...delivery };
  const [event, user] = [inOneLine(fields['event']) || `${fields['type']} call`, userOf(fields)];
  return user === '' ? event : `${event} · ${user}`;
}

/** A message: what came in, where it went, and what was answered. */
function DeliveryDetail({ delivery, close }: { delivery: RecentDelivery; close(): void }) {
  const { id, destination } = delivery;
  const path = pathOf('deliveries', id);
  const { value, problem } = usePolled(path, (signal) => get<DeliveryExplanation[]>(path, signal));
  const first = value?.find((each) => each.destination === destination) ?? value?.[0];
  const message = value?.find((each) => each.message != null)?.message;
  const nowMs = Date.now();
  return (
    <>
      <Head
        badge={first?.type ?? 'delivery'}
        look={first?.type ?? ''}
        title={titleOf(delivery, message)}
        onClose={close}
      />
      {first !== undefined && (
        <Facts
          of={[
            ['Message id', id],
            ['Source', first.source ?? 'unknown'],
            [
              'Accepted',
              `${formatMoment(first.acceptedAt, nowMs)}, ${formatAgo(first.acceptedAt, nowMs)}`,
              first.acceptedAt,
            ],
          ]}
        />
      )}
      <div class="copies">
        <Button look="quiet framed act" onClick={() => copy(id, 'Message id')}>
          Copy message id
        </Button>
      </div>
      {value === undefined && <p class="waiting">{problem || 'Asking for the delivery …'}</p>}
      <div class="places">
        <Explanations of={value ?? []} destination={destination} />
        {message !== undefined && (
          <>
            <h3>Message</h3>
            <JsonView value={message} />
          </>
        )}
      </div>
    </>
  );
}
