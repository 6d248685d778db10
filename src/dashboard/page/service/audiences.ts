import type { AudienceReport } from '../../../service/api/answers.js';
import { facts, head } from '../detail.js';
import { make } from '../dom.js';
import { formatCount } from '../format.js';
import type { RowStyle } from '../rows.js';
import { get } from './api.js';
import { formatAgo, formatMoment } from './moment.js';
import { Progress } from './progress.js';
import { type Detail, Table } from './table.js';
import type { View } from './view.js';

const rows: RowStyle<AudienceReport> = {
  cells: ['title', 'user', 'number end', 'time', 'source'],
  texts: (audience) => [
    audience.name,
    audience.trait,
    formatCount(audience.members),
    formatAgo(audience.syncedAt, Date.now()),
    syncOf(audience),
  ],
  words: ['', '', 'members', 'synced', ''],
};

/** What a running sync is at. */
function syncOf({ sync }: AudienceReport): string {
  if (sync == null) return '';
  if (sync.phase === 'receiving') return `receiving, ${formatCount(sync.received)} so far`;
  return `${sync.phase}, ${formatCount(sync.applied)} of ${formatCount(sync.received)}`;
}

/** Groups of users, and how far each is synced. */
export function audiencesView(): View {
  const board = new Table<AudienceReport>({
    name: 'audiences',
    label: 'Audiences',
    detailLabel: 'Audience',
    columns: ['Audience', 'Trait', 'Members', 'Last sync', 'Running'],
    rows,
    key: ({ name }) => name,
    empty: [
      make('h2', '', 'No audiences'),
      make(
        'p',
        '',
        'An audience comes to be with its first list of members. Who joins or leaves gets an identify with its trait.',
      ),
    ],
    detail: audienceDetail,
  });
  return {
    name: 'audiences',
    label: 'Audiences',
    body: make('div', 'view', board.element),
    async refresh(signal) {
      board.show(await get<AudienceReport[]>('/v1/audiences', signal));
    },
  };
}

function audienceDetail(audience: AudienceReport, close: () => void): Detail<AudienceReport> {
  const known = make('div', '');
  const progress = new Progress('Progress of the sync');
  const update = (now: AudienceReport): void => {
    known.replaceChildren(factsOf(now));
    const { sync } = now;
    // How long the list is that is being received, nobody knows.
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
