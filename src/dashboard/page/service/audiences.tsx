import { formatCount } from '../../../plural.js';
import type { AudienceReport } from '../../../service/api/answers.js';
import { formatAgo, formatMoment } from '../moment.js';
import { open, opened } from '../router.js';
import { type Column, column } from '../ui/columns.js';
import { Empty, Facts, Head, Progress } from '../ui/detail.js';
import { List } from '../ui/list.js';
import { get } from './api.js';
import { Panel } from './panel.js';
import { usePolled } from './poll.js';

const columns: readonly Column<AudienceReport>[] = [
  column('title', 'Audience', ['minmax(120px, 1fr)', 'minmax(110px, 1fr)'], ({ name }) => name),
  column('user', 'Trait', ['minmax(110px, 1fr)', ''], ({ trait }) => trait),
  column('number end', 'Members', ['90px', '84px'], ({ members }) => formatCount(members), { word: 'members' }),
  column('time', 'Last sync', ['110px', '100px'], ({ syncedAt }) => formatAgo(syncedAt, Date.now()), {
    word: 'synced',
    title: ({ syncedAt }) => syncedAt ?? '',
  }),
  column('source', 'Running', ['minmax(120px, 220px)', ''], syncOf),
];

/** The progress of a running sync. */
function syncOf({ sync }: AudienceReport): string {
  if (sync == null) return '';
  if (sync.phase === 'receiving') return `receiving, ${formatCount(sync.received)} so far`;
  return `${sync.phase}, ${formatCount(sync.applied)} of ${formatCount(sync.received)}`;
}

/** Groups of users, and how far each is synced. */
export function Audiences() {
  const polled = usePolled('audiences', (signal) => get<AudienceReport[]>('/v1/audiences', signal));
  const audiences = polled.value ?? [];
  return (
    <Panel polled={polled}>
      <List
        name="audiences"
        label="Audiences"
        detailLabel="Audience"
        columns={columns}
        items={audiences}
        keyOf={({ name }) => name}
        opened={audiences.find(({ name }) => name === opened.value)}
        onOpen={open}
        detail={(audience, close) => <AudienceDetail audience={audience} close={close} />}
        empty={
          <Empty title="No audiences">
            <p>
              The first list of members creates an audience. Users who join or leave get an identify with its trait.
            </p>
          </Empty>
        }
      />
    </Panel>
  );
}

function AudienceDetail({ audience, close }: { audience: AudienceReport; close(): void }) {
  const { name, trait, members, createdAt, syncedAt, sync } = audience;
  const nowMs = Date.now();
  return (
    <>
      <Head badge="audience" look="" title={name} onClose={close} />
      <Facts
        of={[
          ['Trait', trait],
          ['Members', formatCount(members)],
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
          {syncOf(audience)}
        </Progress>
      )}
    </>
  );
}
