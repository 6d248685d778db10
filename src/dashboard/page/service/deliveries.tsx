import { useEffect, useState } from 'preact/hooks';
import { formatCount, plural } from '../../../plural.js';
import type { DestinationReport } from '../../../service/api/answers.js';
import type { DeliveryExplanation, DeliveryPage, RecentDelivery } from '../../../service/api/delivery-answers.js';
import { formatAgo, formatMoment } from '../moment.js';
import { open, opened, queryOf, setQuery } from '../router.js';
import { Button, Empty, Facts, Head } from '../ui/detail.js';
import { JsonView } from '../ui/json-view.js';
import { List } from '../ui/list.js';
import { copy } from '../ui/toast.js';
import { get, pathOf, sayProblem, withQuery } from './api.js';
import { Explanation } from './delivery.js';
import { deliveryColumns, keyOfDelivery, messageIdOf } from './delivery-list.js';
import { Panel } from './panel.js';
import { askAgain, usePolled } from './poll.js';

const PAGE = '50';
const FIELDS = ['id', 'user', 'event', 'endpoint', 'status', 'destination', 'phase', 'from', 'to'] as const;
type Field = (typeof FIELDS)[number];

const TEXTS: readonly (readonly [field: Field, label: string])[] = [
  ['id', 'Message id'],
  ['user', 'User'],
  ['event', 'Event or type'],
  ['endpoint', 'Webhook'],
  ['status', 'Answer: 503, 5xx, timeout'],
];

/** What was sent of late, by all processes: found by what one knows of it. */
export function Deliveries() {
  const query = Object.fromEntries(FIELDS.map((field) => [field, inQuery(field)]));
  const path = withQuery('/v1/deliveries', { ...query, limit: PAGE });
  const { older, showMore } = useOlder(path);
  // A list that was extended stays until its reader begins anew.
  const polled = usePolled(
    path,
    (signal) => get<DeliveryPage>(path, signal),
    older === undefined ? undefined : 3_600_000,
  );
  const [first, last] = [polled.value, older?.at(-1) ?? polled.value];
  const deliveries = [first, ...(older ?? [])].flatMap((page) => page?.deliveries ?? []);
  const shown = deliveries.find((delivery) => keyOfDelivery(delivery) === opened.value);
  const isFiltered = FIELDS.some((field) => queryOf(field) !== '');
  const more = (): void => {
    if (last?.next !== undefined) void showMore(last.next);
  };
  return (
    <Panel polled={polled}>
      <Filters />
      <List
        name="deliveries"
        label="Deliveries, latest attempt first"
        detailLabel="Delivery"
        columns={deliveryColumns}
        items={deliveries}
        keyOf={keyOfDelivery}
        opened={shown ?? (opened.value === '' ? undefined : unlisted(opened.value))}
        onOpen={open}
        onEnd={more}
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
          {first?.since == null ? '' : `Kept since ${formatMoment(first.since, Date.now())}. `}
          {last?.next !== undefined && `The first ${formatCount(deliveries.length)} are shown.`}
        </p>
        {last?.next !== undefined && <Button onClick={more}>Show more</Button>}
        {older !== undefined && (
          <Button look="link" onClick={() => askAgain(path)}>
            Reload
          </Button>
        )}
      </div>
    </Panel>
  );
}

/** A field as the service takes it: the form has times of the browser's zone. */
function inQuery(field: Field): string {
  const text = queryOf(field);
  if ((field !== 'from' && field !== 'to') || text === '') return text.trim();
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? '' : time.toISOString();
}

/** The pages behind the first. */
function useOlder(path: string) {
  const [older, setOlder] = useState<readonly DeliveryPage[] | undefined>(undefined);
  useEffect(() => setOlder(undefined), [path]);
  const showMore = async (after: string): Promise<void> => {
    try {
      const page = await get<DeliveryPage>(`${path}&after=${encodeURIComponent(after)}`);
      setOlder((pages) => (pages?.includes(page) ? pages : [...(pages ?? []), page]));
    } catch (error) {
      sayProblem(error);
    }
  };
  return { older, showMore };
}

function Filters() {
  const { value: destinations = [] } = usePolled('destinations', (signal) =>
    get<DestinationReport[]>('/v1/destinations', signal),
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
      <Choice
        field="phase"
        label="Outcome"
        any="any outcome"
        options={[
          ['delivered', 'delivered'],
          ['retrying', 'retrying'],
          ['dead', 'given up'],
        ]}
      />
      {(['from', 'to'] as const).map((field) => (
        <label class="choice" key={field}>
          {field === 'from' ? 'From' : 'Until'}
          <input
            type="datetime-local"
            value={queryOf(field)}
            onInput={({ currentTarget }) => setQuery({ [field]: currentTarget.value })}
          />
        </label>
      ))}
    </search>
  );
}

function Choice(props: { field: Field; label: string; any: string; options: readonly (readonly [string, string])[] }) {
  const value = queryOf(props.field);
  return (
    <label class="choice">
      <span class="hidden">{props.label}</span>
      <select value={value} onChange={({ currentTarget }) => setQuery({ [props.field]: currentTarget.value })}>
        <option value="">{props.any}</option>
        {value !== '' && !props.options.some(([each]) => each === value) && <option value={value}>{value}</option>}
        {props.options.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
    </label>
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
  return { ...none, ...last, id: messageIdOf(key), destination: '', webhook: { url: '' } };
}

/** A message: what came in, where it went, and what was answered. */
function DeliveryDetail({ delivery: { id }, close }: { delivery: RecentDelivery; close(): void }) {
  const path = pathOf('deliveries', id);
  const { value, problem } = usePolled(path, (signal) => get<DeliveryExplanation[]>(path, signal));
  const [first] = value ?? [];
  const message = value?.find((each) => each.message != null)?.message;
  const nowMs = Date.now();
  return (
    <>
      <Head badge={first?.type ?? 'delivery'} look={first?.type ?? ''} title={id} onClose={close} />
      {first !== undefined && (
        <Facts
          of={[
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
        {value?.map((explanation) => (
          <Explanation key={explanation.destination} explanation={explanation} />
        ))}
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
