import { formatCount } from '../../../base/text/plural.js';
import type { AudienceProgress, AudienceReport, TraitReport } from '../../../service/api/answers.js';
import { formatAgo, formatMoment } from '../moment.js';
import { type Column, column } from '../ui/columns.js';
import { Empty, Facts, Head, Progress } from '../ui/detail.js';
import { List } from '../ui/list.js';
import { get } from './api.js';
import { Panel } from './panel.js';
import { usePolled } from './poll.js';

/** An audience or a computed trait, as a list shows it. */
interface Synced {
  readonly name: string;
  readonly trait: string;
  /** Of how many users it says something. */
  readonly users: number;
  readonly createdAt: string;
  readonly syncedAt: string | null;
  readonly sync?: AudienceProgress | undefined;
}

/** Groups of users, and how far each is synced. */
export function Audiences() {
  return (
    <SyncedList
      view="audiences"
      label="Audiences"
      noun="Audience"
      counted="Members"
      read={async (signal) => (await get<AudienceReport[]>('/v1/audiences', signal)).map(syncedOf)}
      empty="The first list of members creates an audience. Users who join or leave get an identify with its trait."
    />
  );
}

/** Values of users, and how far each trait is synced. */
export function Traits() {
  return (
    <SyncedList
      view="traits"
      label="Computed traits"
      noun="Computed trait"
      counted="Users"
      read={(signal) => get<TraitReport[]>('/v1/traits', signal)}
      empty="The first list of values creates a computed trait. Users whose value changes get an identify with it."
    />
  );
}

const syncedOf = ({ members, ...rest }: AudienceReport): Synced => ({ ...rest, users: members });

interface SyncedListProps {
  readonly view: string;
  readonly label: string;
  /** What one of them is called. */
  readonly noun: string;
  /** What the number of users is called. */
  readonly counted: string;
  readonly empty: string;
  read(signal: AbortSignal): Promise<Synced[]>;
}

function SyncedList({ view, label, noun, counted, empty, read }: SyncedListProps) {
  const polled = usePolled(view, read);
  const items = polled.value ?? [];
  return (
    <Panel polled={polled}>
      <List
        name={view}
        label={label}
        detailLabel={noun}
        columns={columnsOf(noun, counted)}
        items={items}
        keyOf={({ name }) => name}
        detail={(item, close) => <SyncedDetail noun={noun} counted={counted} item={item} close={close} />}
        empty={<Empty title={`No ${label.toLowerCase()}`} text={empty} />}
      />
    </Panel>
  );
}

const columnsOf = (noun: string, counted: string): readonly Column<Synced>[] => [
  column('title', noun, ['minmax(120px, 1fr)', 'minmax(110px, 1fr)'], ({ name }) => name),
  column('user', 'Trait', ['minmax(110px, 1fr)', ''], ({ trait }) => trait),
  column('number end', counted, ['90px', '84px'], ({ users }) => formatCount(users), {
    word: () => counted.toLowerCase(),
  }),
  column('time', 'Last sync', ['110px', '100px'], ({ syncedAt }) => formatAgo(syncedAt, Date.now()), {
    word: () => 'synced',
    title: ({ syncedAt }) => syncedAt ?? '',
  }),
  column('source', 'Running', ['minmax(120px, 220px)', ''], syncOf),
];

/** The progress of a running sync. */
function syncOf({ sync }: Synced): string {
  if (sync == null) return '';
  if (sync.phase === 'receiving') return `receiving, ${formatCount(sync.received)} so far`;
  return `${sync.phase}, ${formatCount(sync.applied)} of ${formatCount(sync.received)}`;
}

interface SyncedDetailProps extends Pick<SyncedListProps, 'noun' | 'counted'> {
  readonly item: Synced;
  close(): void;
}

function SyncedDetail({ noun, counted, item, close }: SyncedDetailProps) {
  const { name, trait, users, createdAt, syncedAt, sync } = item;
  const nowMs = Date.now();
  return (
    <>
      <Head badge={noun.toLowerCase()} look="" title={name} onClose={close} />
      <Facts
        of={[
          ['Trait', trait],
          [counted, formatCount(users)],
          ['Created', formatMoment(createdAt, nowMs), createdAt],
          ['Last sync', syncedAt == null ? 'never' : formatMoment(syncedAt, nowMs), syncedAt ?? ''],
        ]}
      />
      {sync != null && (
        // The length of a list is unknown while it is received.
        <Progress
          label="Progress of the sync"
          done={sync.applied}
          of={sync.phase === 'receiving' ? undefined : sync.received}
        >
          {syncOf(item)}
        </Progress>
      )}
    </>
  );
}
