import { formatCount } from '../../../base/text/plural.js';
import type { SourceReport } from '../../../service/api/answers.js';
import { open, opened } from '../router.js';
import { type Column, column } from '../ui/columns.js';
import { Empty } from '../ui/detail.js';
import { firstNames } from '../ui/first-names.js';
import { List } from '../ui/list.js';
import { get } from './api.js';
import { Panel } from './panel.js';
import { usePolled } from './poll.js';
import { SourceDetail } from './source-detail.js';

type Outcome = keyof SourceReport['lastHour'];

const count = (heading: string, outcome: Outcome, beside: string): Column<SourceReport> =>
  column('number end', heading, ['84px', beside], ({ lastHour }) => formatCount(lastHour[outcome]), {
    word: outcome,
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

/** Who sends, and what came of it in the last hour. */
export function Sources() {
  const polled = usePolled('sources', (signal) => get<SourceReport[]>('/v1/sources', signal));
  const sources = polled.value ?? [];
  return (
    <Panel polled={polled}>
      <p class="lead">
        Counts of the last hour; forwarded counts once for each destination. Open a source to see its events by hour.
      </p>
      <List
        name="sources"
        label="Sources"
        detailLabel="Source"
        columns={columns}
        items={sources}
        keyOf={({ name }) => name}
        opened={sources.find(({ name }) => name === opened.value)}
        onOpen={open}
        detail={(source, close) => <SourceDetail source={source} close={close} />}
        empty={
          <Empty title="No sources">
            <p>The configuration lists who may send, under sources.</p>
          </Empty>
        }
      />
    </Panel>
  );
}
