import { useState } from 'preact/hooks';
import { formatCount, plural } from '../../../base/text/plural.js';
import type { DeletionReport } from '../../../service/api/deletion-answers.js';
import { firstNames, formatMoment, msOf } from '../format-values.js';
import { type Column, column } from '../ui/columns.js';
import { Button, Empty, Facts, Head, Progress } from '../ui/detail.js';
import { List } from '../ui/list.js';
import { Names } from '../ui/names.js';
import { DeletionForm } from './deletion-form.js';
import { Panel } from './panel.js';
import { askAgain, useAnswer } from './poll.js';

const PATH = '/v1/deletions';

const looks: Readonly<Record<string, string>> = { running: 'retry', done: 'good', failed: 'bad' };
const lookOf = ({ status }: DeletionReport): string => looks[status] ?? '';

const progressOf = ({ done, notifications }: DeletionReport): string =>
  done === notifications ? formatCount(done) : `${formatCount(done)} of ${formatCount(notifications)}`;

/** A deletion without a limit lists all the sources that it applies to. */
const sourcesText = ({ sources, limited }: DeletionReport): string =>
  limited ? firstNames(sources) : `all, ${formatCount(sources.length)} with destinations`;

const columns: readonly Column<DeletionReport>[] = [
  column('time mono', 'Requested', ['120px'], ({ at }) => formatMoment(at, Date.now()), { title: ({ at }) => at }),
  column('badge', 'Status', ['84px'], ({ status }) => status, { look: lookOf }),
  column('title', 'Users', ['120px', 'minmax(90px, 1fr)'], ({ users }) => plural(users, 'user')),
  column('user', 'Sources', ['minmax(120px, 1fr)', ''], sourcesText),
  column('size end', 'Notifications', ['150px', '130px'], progressOf, { word: () => 'sent' }),
];

/** Shows the requested deletions with their progress, and the form for a new one. */
export function Deletions() {
  const polled = useAnswer<DeletionReport[]>(PATH);
  const [isAsking, setAsking] = useState(false);
  const deletions = [...(polled.value ?? [])].sort((a, b) => (msOf(b.at) ?? 0) - (msOf(a.at) ?? 0));
  return (
    <Panel polled={polled}>
      <div class="strip line apart">
        <p class="note">A deletion asks every destination of the sources to delete its data about the users.</p>
        <Button isChange id="request-deletion" look="primary" onClick={() => setAsking(true)}>
          Request a deletion
        </Button>
      </div>
      {isAsking && <DeletionForm onClose={() => setAsking(false)} onDone={() => askAgain(PATH)} />}
      <List
        name="deletions"
        label="Deletions, newest first"
        detailLabel="Deletion"
        columns={columns}
        items={deletions}
        keyOf={({ id }) => id}
        detail={(deletion, close) => <DeletionDetail deletion={deletion} close={close} />}
        empty={<Empty title="No deletions" text="Each request to delete users is listed here with its progress." />}
      />
    </Panel>
  );
}

const DeletionDetail = ({ deletion, close }: { deletion: DeletionReport; close(): void }) => (
  <>
    <Head badge={deletion.status} look={lookOf(deletion)} title={plural(deletion.users, 'user')} onClose={close} />
    <Facts
      of={[
        ['Id', deletion.id],
        ['Requested', formatMoment(deletion.at, Date.now()), deletion.at],
        ['Sources', sourcesText(deletion)],
        ['Notifications', formatCount(deletion.notifications)],
        ['Recent deliveries', `${plural(deletion.erased, 'attempt')} removed`],
      ]}
    />
    <Names of={deletion.sources} />
    <Progress label="Notifications sent" done={deletion.done} of={deletion.notifications}>
      {progressOf(deletion)} notifications sent
    </Progress>
  </>
);
