import { formatCount } from '../../../plural.js';
import type { AudienceReport } from '../../../service/api/answers.js';
import { type Column, column } from '../columns.js';
import { facts, head } from '../detail.js';
import { make } from '../dom.js';
import { formatAgo, formatMoment } from '../moment.js';
import { get } from './api.js';
import { Progress } from './progress.js';
import { type Detail, Table } from './table.js';
import type { View } from './view.js';

const columns: readonly Column<AudienceReport>[] = [
  column('title', 'Audience', ['minmax(120px, 1fr)', 'minmax(110px, 1fr)'], ({ name }) => name),
  column('user', 'Trait', ['minmax(110px, 1fr)', ''], ({ trait }) => trait),
  column('number end', 'Members', ['90px', '84px'], ({ members }) => formatCount(members), { word: 'members' }),
  column('time', 'Last sync', ['110px', '100px'], ({ syncedAt }) => formatAgo(syncedAt, Date.now()), {
    word: 'synced',
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
export function audiencesView(): View {
  const table = new Table<AudienceReport>({
    name: 'audiences',
    label: 'Audiences',
    detailLabel: 'Audience',
    columns,
    key: ({ name }) => name,
    empty: [
      'No audiences',
      'The first list of members creates an audience. Users who join or leave get an identify with its trait.',
    ],
    detail: audienceDetail,
  });
  return {
    name: 'audiences',
    label: 'Audiences',
    body: make('div', 'view', table.pane),
    async refresh(signal) {
      table.show(await get<AudienceReport[]>('/v1/audiences', signal));
    },
  };
}

function audienceDetail(audience: AudienceReport, close: () => void): Detail<AudienceReport> {
  const known = make('div', '');
  const progress = new Progress('Progress of the sync');
  const update = (now: AudienceReport): void => {
    known.replaceChildren(factsOf(now));
    const { sync } = now;
    // The length of a list is unknown while it is received.
    const total = sync == null || sync.phase === 'receiving' ? undefined : sync.received;
    progress.element.hidden = sync == null;
    progress.show(sync?.applied ?? 0, total, syncOf(now));
  };
  update(audience);
  return { nodes: [head(make('span', 'badge', 'audience'), audience.name, close), known, progress.element], update };
}

const factsOf = ({ trait, members, createdAt, syncedAt }: AudienceReport): HTMLElement =>
  facts([
    ['Trait', trait],
    ['Members', formatCount(members)],
    ['Created', formatMoment(createdAt, Date.now())],
    ['Last sync', syncedAt == null ? 'never' : formatMoment(syncedAt, Date.now())],
  ]);
