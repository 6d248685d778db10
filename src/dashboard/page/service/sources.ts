import type { SourceReport } from '../../../service/api/answers.js';
import { make } from '../dom.js';
import { formatCount } from '../format.js';
import type { RowStyle } from '../rows.js';
import { get } from './api.js';
import { sourceDetail } from './source-detail.js';
import { Table } from './table.js';
import type { View } from './view.js';

const rows: RowStyle<SourceReport> = {
  cells: ['title', 'user', 'number end', 'number end', 'number end', 'number end'],
  texts: ({ name, destinations, lastHour: { received, forwarded, blocked, rejected } }) => [
    name,
    destinations.join(', ') || 'no destination',
    ...[received, forwarded, blocked, rejected].map(formatCount),
  ],
  words: ['', '', 'received', 'forwarded', 'blocked', 'rejected'],
};

/** Who sends, and what came of it in the last hour. */
export function sourcesView(): View {
  const board = new Table<SourceReport>({
    name: 'sources',
    label: 'Sources',
    detailLabel: 'Source',
    columns: ['Source', 'Destinations', 'Received', 'Forwarded', 'Blocked', 'Rejected'],
    rows,
    key: ({ name }) => name,
    empty: [make('h2', '', 'No sources'), make('p', '', 'Who may send stands in the configuration, under sources.')],
    detail: sourceDetail,
  });
  const lead = make(
    'p',
    'lead',
    'What came in the last hour; forwarded counts once for each destination. Open a source to see its events by the hour.',
  );
  return {
    name: 'sources',
    label: 'Sources',
    body: make('div', 'view', lead, board.element),
    async refresh(signal) {
      board.show(await get<SourceReport[]>('/v1/sources', signal));
      await board.refreshDetail(signal);
    },
  };
}
