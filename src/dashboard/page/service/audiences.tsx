import { formatCount } from '../../../base/text/plural.js';
import type { AudienceReport, TraitReport } from '../../../service/api/audience-answers.js';
import { formatAgo, formatMoment } from '../format-values.js';
import { type Column, column } from '../ui/columns.js';
import { Empty, Facts, Head, Progress } from '../ui/detail.js';
import { List } from '../ui/list.js';
import { pathOf } from './api.js';
import { Panel } from './panel.js';
import { useAnswer } from './poll.js';

type Synced = AudienceReport | TraitReport;

const usersOf = (item: Synced): number => ('members' in item ? item.members : item.users);

export function Audiences() {
  return (
    <SyncedList
      view="audiences"
      label="Audiences"
      noun="Audience"
      counted="Members"
      empty="The first list of members creates an audience. Users who join or leave get an identify with its trait."
    />
  );
}

export function Traits() {
  return (
    <SyncedList
      view="traits"
      label="Computed traits"
      noun="Computed trait"
      counted="Users"
      empty="The first list of values creates a computed trait. Users whose value changes get an identify with it."
    />
  );
}

interface SyncedListProps {
  /** The name of the view, and of the list in the API's path. */
  readonly view: string;
  readonly label: string;
  /** What one item is called. */
  readonly noun: string;
  /** The heading of the number of users. */
  readonly counted: string;
  readonly empty: string;
}

function SyncedList({ view, label, noun, counted, empty }: SyncedListProps) {
  const polled = useAnswer<Synced[]>(pathOf(view));
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
  column('number end', counted, ['90px', '84px'], (item) => formatCount(usersOf(item)), {
    word: () => counted.toLowerCase(),
  }),
  column('time', 'Last sync', ['110px', '100px'], ({ syncedAt }) => formatAgo(syncedAt, Date.now()), {
    word: () => 'synced',
    title: ({ syncedAt }) => syncedAt ?? '',
  }),
  column('source', 'Running', ['minmax(120px, 220px)', ''], syncOf),
];

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
  const { name, trait, createdAt, syncedAt, sync } = item;
  const nowMs = Date.now();
  return (
    <>
      <Head badge={noun.toLowerCase()} look="" title={name} onClose={close} />
      <Facts
        of={[
          ['Trait', trait],
          [counted, formatCount(usersOf(item))],
          ['Created', formatMoment(createdAt, nowMs), createdAt],
          ['Last sync', syncedAt == null ? 'never' : formatMoment(syncedAt, nowMs), syncedAt ?? ''],
        ]}
      />
      {sync != null && (
        // While the list is being received, its length is unknown.
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
