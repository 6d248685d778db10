import { formatCount } from '../../../base/text/plural.js';
import type { SourcePage, SourceReport } from '../../../service/api/answer-types.js';
import { firstNames } from '../format-values.js';
import { opened, queryOf, setQuery } from '../page-router.js';
import { type Column, column } from '../ui/columns.js';
import { Empty } from '../ui/detail.js';
import { FilterField, NoMatch } from '../ui/filter-field.js';
import { List } from '../ui/list.js';
import { Pages } from '../ui/pages.js';
import { withQuery } from './api.js';
import { Choice, type ChosenField, chosenIn } from './filters.js';
import { Panel } from './panel.js';
import { useAnswer, usePage } from './poll.js';
import { SourceDetail } from './source-detail.js';

type Outcome = keyof SourceReport['lastHour'];

const count = (heading: string, outcome: Outcome, beside: string): Column<SourceReport> =>
  column('number end', heading, ['84px', beside], ({ lastHour }) => formatCount(lastHour[outcome]), {
    word: () => outcome,
    look: ({ lastHour }) => (outcome === 'rejected' && lastHour.rejected > 0 ? 'bad' : ''),
  });

const columns: readonly Column<SourceReport>[] = [
  column('title', 'Source', ['minmax(110px, 1fr)', 'minmax(90px, 1fr)'], ({ name }) => name),
  column('user', 'Destinations', ['minmax(110px, 1fr)', ''], ({ destinations }) => firstNames(destinations) || 'none'),
  count('Received', 'received', '74px'),
  count('Forwarded', 'forwarded', '74px'),
  count('Blocked', 'blocked', ''),
  count('Rejected', 'rejected', '74px'),
];

const PAGE = 50;

const ORDER = {
  ...{ field: 'sort', label: 'Order', any: 'as configured' },
  options: ['name', 'received', 'forwarded', 'blocked', 'rejected'].map((each) => [each, `by ${each}`] as const),
} satisfies ChosenField;

export function Sources() {
  const q = queryOf('text').trim();
  const polled = usePage<SourcePage>('/v1/sources', { q, sort: chosenIn(ORDER) }, PAGE);
  const { sources = [], found = 0 } = polled.value ?? {};
  const isListed = sources.some(({ name }) => name === opened.value);
  const unlisted = useSource(isListed ? '' : opened.value);
  return (
    <Panel polled={polled}>
      <div class="strip filters line apart">
        <p class="note">
          Counts of the last hour; forwarded counts once for each destination. Open a source to see its events by hour.
        </p>
        <div class="bar">
          <Choice {...ORDER} value={chosenIn(ORDER)} onPick={(sort) => setQuery({ sort })} />
          <FilterField query="text" label="Filter by name or destination" placeholder="Name or destination" />
        </div>
      </div>
      <List
        name="sources"
        label="Sources"
        detailLabel="Source"
        columns={columns}
        items={sources}
        keyOf={({ name }) => name}
        unlisted={unlisted}
        detail={(source, close) => <SourceDetail source={source} close={close} />}
        empty={
          q === '' ? (
            <Empty title="No sources" text="The configuration lists who may send, under sources." />
          ) : (
            <NoMatch title="No source matches" fields={['text']}>
              The others are hidden by the filter.
            </NoMatch>
          )
        }
      />
      <Pages of={sources} found={found} size={PAGE} />
    </Panel>
  );
}

/** Reads a source that the address names but the list does not contain. */
function useSource(name: string): SourceReport | undefined {
  const path = withQuery('/v1/sources', { q: name });
  const { value } = useAnswer<SourcePage>(name === '' ? '' : path);
  return value?.sources.find((source) => source.name === name);
}
