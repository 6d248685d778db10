import { formatCount } from '../../../base/text/plural.js';
import type { SourceReport } from '../../../service/api/answer-types.js';
import { firstNames } from '../format-values.js';
import { opened } from '../page-router.js';
import { type Column, column } from '../ui/columns.js';
import { choice, takenBy, text } from '../ui/filters.js';
import type { PageList } from '../ui/list.js';
import { useAnswer } from './poll.js';
import { useSourceDetail } from './source-detail.js';
import { NamesPages, usePage } from './stored-list.js';

const count = (heading: string, outcome: keyof SourceReport['lastHour'], beside: string): Column<SourceReport> =>
  column('number end', heading, ['84px', beside], ({ lastHour }) => formatCount(lastHour[outcome]), {
    word: () => outcome,
    look: ({ lastHour }) => (outcome === 'rejected' && lastHour.rejected > 0 ? 'bad' : ''),
  });

const PAGE_SIZE = 50;

const filters = [
  choice(
    ...(['sort', 'Order', 'as configured'] as const),
    ['name', 'received', 'forwarded', 'blocked', 'rejected'].map((each) => [each, `by ${each}`]),
    { isOrder: true },
  ),
  text('text', 'Filter by name or destination', { as: 'q', placeholder: 'Name or destination' }),
];

export const sources: PageList<SourceReport> = {
  ...{ name: 'sources', label: 'Sources', noun: 'Source', filters },
  note: 'Counts of the last hour; forwarded counts once for each destination. Open a source to see its events by hour.',
  none: ['No sources', 'The configuration lists who may send, under sources.'],
  keyOf: ({ name }) => name,
  useRows() {
    const polled = usePage('GET /v1/sources', { ...takenBy(filters), limit: String(PAGE_SIZE) });
    const { sources: items = [], found = 0 } = polled.value ?? {};
    const isListed = items.some(({ name }) => name === opened.value);
    // The address may name a source that the page does not contain.
    const asked = isListed || opened.value === '' ? undefined : { q: opened.value };
    const { value } = useAnswer('GET /v1/sources', asked);
    const unlisted = value?.sources.find(({ name }) => name === opened.value);
    return { polled, items, unlisted, below: <NamesPages of={items} found={found} size={PAGE_SIZE} /> };
  },
  columns: [
    column('title', 'Source', ['minmax(110px, 1fr)', 'minmax(90px, 1fr)'], ({ name }) => name),
    column(
      'user',
      'Destinations',
      ['minmax(110px, 1fr)', ''],
      ({ destinations }) => firstNames(destinations) || 'none',
    ),
    count('Received', 'received', '74px'),
    count('Forwarded', 'forwarded', '74px'),
    count('Blocked', 'blocked', ''),
    count('Rejected', 'rejected', '74px'),
  ],
  useDetail: useSourceDetail,
};
