import { formatCount } from '../../../base/text/plural.js';
import type { AudienceReport, TraitReport } from '../../../service/api/audience-answers.js';
import { formatAgo, formatMoment } from '../format-values.js';
import { column } from '../ui/columns.js';
import { Progress } from '../ui/detail.js';
import type { PageList } from '../ui/list.js';
import { useNewest } from './stored-list.js';

type Synced = AudienceReport | TraitReport;

const usersOf = (item: Synced): number => ('members' in item ? item.members : item.users);

type Described = Pick<PageList<Synced>, 'name' | 'label' | 'noun' | 'none' | 'useRows'>;

/** Describes a list of audiences or traits. `counted` is the heading of the number of users. */
const synced = (described: Described, counted: string): PageList<Synced> => ({
  ...described,
  keyOf: ({ name }) => name,
  columns: [
    column('title', described.noun, ['minmax(120px, 1fr)', 'minmax(110px, 1fr)'], ({ name }) => name),
    column('user', 'Trait', ['minmax(110px, 1fr)', ''], ({ trait }) => trait),
    column('number end', counted, ['90px', '84px'], (item) => formatCount(usersOf(item)), {
      word: () => counted.toLowerCase(),
    }),
    column('time', 'Last sync', ['110px', '100px'], ({ syncedAt }) => formatAgo(syncedAt, Date.now()), {
      word: () => 'synced',
      title: ({ syncedAt }) => syncedAt ?? '',
    }),
    column('source', 'Running', ['minmax(120px, 220px)', ''], syncOf),
  ],
  useDetail(item) {
    const { name, trait, createdAt, syncedAt, sync } = item;
    const nowMs = Date.now();
    return {
      badge: described.noun.toLowerCase(),
      title: name,
      facts: [
        ['Trait', trait],
        [counted, formatCount(usersOf(item))],
        ['Created', formatMoment(createdAt, nowMs), createdAt],
        ['Last sync', syncedAt == null ? 'never' : formatMoment(syncedAt, nowMs), syncedAt ?? ''],
      ],
      below: sync != null && (
        // While the list is being received, its length is unknown.
        <Progress
          label="Progress of the sync"
          done={sync.applied}
          of={sync.phase === 'receiving' ? undefined : sync.received}
        >
          {syncOf(item)}
        </Progress>
      ),
    };
  },
});

function syncOf({ sync }: Synced): string {
  if (sync == null) return '';
  if (sync.phase === 'receiving') return `receiving, ${formatCount(sync.received)} so far`;
  return `${sync.phase}, ${formatCount(sync.applied)} of ${formatCount(sync.received)}`;
}

export const audiences = synced(
  {
    ...{ name: 'audiences', label: 'Audiences', noun: 'Audience', useRows: () => useNewest('GET /v1/audiences') },
    none: [
      'No audiences',
      'The first list of members creates an audience. Users who join or leave get an identify with its trait.',
    ],
  },
  'Members',
);

export const traits = synced(
  {
    ...{ name: 'traits', label: 'Computed traits', noun: 'Computed trait', useRows: () => useNewest('GET /v1/traits') },
    none: [
      'No computed traits',
      'The first list of values creates a computed trait. Users whose value changes get an identify with it.',
    ],
  },
  'Users',
);
