import { formatCount, plural } from '../../../plural.js';
import type { DeletionReport } from '../../../service/api/answers.js';
import { type Column, column } from '../columns.js';
import { facts, head } from '../detail.js';
import { make } from '../dom.js';
import { formatMoment, msOf } from '../moment.js';
import { get } from './api.js';
import { DeletionForm } from './deletion-form.js';
import { Progress } from './progress.js';
import { type Detail, Table } from './table.js';
import type { View } from './view.js';

const looks: Readonly<Record<string, string>> = { running: 'retry', done: 'good', failed: 'bad' };
const lookOf = (status: string): string => looks[status] ?? '';

const progressOf = ({ done, notifications }: DeletionReport): string =>
  done === notifications ? formatCount(done) : `${formatCount(done)} of ${formatCount(notifications)}`;

const columns: readonly Column<DeletionReport>[] = [
  column('time', 'Requested', ['120px'], ({ at }) => formatMoment(at, Date.now())),
  column('badge', 'Status', ['84px'], ({ status }) => status, { look: ({ status }) => lookOf(status) }),
  column('title', 'Users', ['120px', 'minmax(90px, 1fr)'], ({ users }) => plural(users, 'user')),
  column('user', 'Sources', ['minmax(120px, 1fr)', ''], ({ sources }) => sources.join(', ')),
  column('size end', 'Notifications', ['150px', '130px'], progressOf, { word: 'notifications sent' }),
];

/** The requested deletions with their progress, and the form for another. */
export function deletionsView(): View {
  const table = new Table<DeletionReport>({
    name: 'deletions',
    label: 'Deletions, newest first',
    detailLabel: 'Deletion',
    columns,
    key: ({ id }) => id,
    empty: ['No deletions', 'Each request to delete users is listed here with its progress.'],
    detail: deletionDetail,
  });
  const load = async (signal?: AbortSignal): Promise<void> => {
    const deletions = await get<DeletionReport[]>('/v1/deletions', signal);
    table.show([...deletions].sort((a, b) => (msOf(b.at) ?? 0) - (msOf(a.at) ?? 0)));
  };
  // If this fails, the next poll will show it.
  const form = new DeletionForm(() => void load().catch(() => {}));
  const says = 'A deletion asks every destination of the sources to delete its data about the users.';
  return {
    name: 'deletions',
    label: 'Deletions',
    body: make('div', 'view', make('div', 'lead', make('p', '', says), form.opener), form.element, table.pane),
    refresh: load,
  };
}

function deletionDetail(deletion: DeletionReport, close: () => void): Detail<DeletionReport> {
  const badge = make('span', 'badge', deletion.status);
  const progress = new Progress('Notifications sent');
  const update = (now: DeletionReport): void => {
    badge.className = `badge ${lookOf(now.status)}`;
    badge.textContent = now.status;
    progress.show(now.done, now.notifications, `${progressOf(now)} notifications sent`);
  };
  update(deletion);
  return {
    nodes: [
      head(badge, plural(deletion.users, 'user'), close),
      facts([
        ['Id', deletion.id],
        ['Requested', formatMoment(deletion.at, Date.now())],
        ['Sources', deletion.sources.join(', ')],
        ['Notifications', formatCount(deletion.notifications)],
      ]),
      progress.element,
    ],
    update,
  };
}
