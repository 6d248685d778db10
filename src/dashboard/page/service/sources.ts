import { formatCount } from '../../../plural.js';
import type { SourceReport } from '../../../service/api/answers.js';
import { type Column, column } from '../columns.js';
import { make } from '../dom.js';
import { get } from './api.js';
import { sourceDetail } from './source-detail.js';
import { Table } from './table.js';
import type { View } from './view.js';

type Outcome = keyof SourceReport['lastHour'];

const count = (heading: string, outcome: Outcome, beside: string): Column<SourceReport> =>
  column('number end', heading, ['84px', beside], ({ lastHour }) => formatCount(lastHour[outcome]), { word: outcome });

const columns: readonly Column<SourceReport>[] = [
  column('title', 'Source', ['minmax(110px, 1fr)', 'minmax(90px, 1fr)'], ({ name }) => name),
  column('user', 'Destinations', ['minmax(110px, 1fr)', ''], ({ destinations }) => destinations.join(', ') || 'none'),
  count('Received', 'received', '74px'),
  count('Forwarded', 'forwarded', '74px'),
  count('Blocked', 'blocked', ''),
  count('Rejected', 'rejected', ''),
];

/** Who sends, and what came of it in the last hour. */
export function sourcesView(): View {
  const table = new Table<SourceReport>({
    name: 'sources',
    label: 'Sources',
    detailLabel: 'Source',
    columns,
    key: ({ name }) => name,
    empty: ['No sources', 'The configuration lists who may send, under sources.'],
    detail: sourceDetail,
  });
  const lead = make(
    'p',
    'lead',
    'Counts of the last hour; forwarded counts once for each destination. Open a source to see its events by hour.',
  );
  return {
    name: 'sources',
    label: 'Sources',
    body: make('div', 'view', lead, table.pane),
    async refresh(signal) {
      table.show(await get<SourceReport[]>('/v1/sources', signal));
      await table.refreshDetail(signal);
    },
  };
}
