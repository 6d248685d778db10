import { useState } from 'preact/hooks';
import { formatCount, plural } from '../../../base/text/plural.js';
import type { DeletionReport } from '../../../service/api/deletion-answers.js';
import { firstNames, formatMoment } from '../format-values.js';
import { column } from '../ui/columns.js';
import { Button, Progress } from '../ui/detail.js';
import type { PageList } from '../ui/list.js';
import { Names } from '../ui/names.js';
import { DeletionForm } from './deletion-form.js';
import { useNewest } from './stored-list.js';

const looks: Readonly<Record<string, string>> = { running: 'retry', done: 'good', failed: 'bad' };
const lookOf = ({ status }: DeletionReport): string => looks[status] ?? '';

const progressOf = ({ done, notifications }: DeletionReport): string =>
  done === notifications ? formatCount(done) : `${formatCount(done)} of ${formatCount(notifications)}`;

/** A deletion without a limit lists all the sources that it applies to. */
const sourcesText = ({ sources, limited }: DeletionReport): string =>
  limited ? firstNames(sources) : `all, ${formatCount(sources.length)} with destinations`;

/** The requested deletions with their progress, and the form for a new one. */
export const deletions: PageList<DeletionReport> = {
  ...{ name: 'deletions', label: 'Deletions, newest first', noun: 'Deletion' },
  none: ['No deletions', 'Each request to delete users is listed here with its progress.'],
  useRows: () => ({ ...useNewest('GET /v1/deletions', 100), above: <Request /> }),
  keyOf: ({ id }) => id,
  columns: [
    column('time mono', 'Requested', ['120px'], ({ at }) => formatMoment(at, Date.now()), { title: ({ at }) => at }),
    column('badge', 'Status', ['84px'], ({ status }) => status, { look: lookOf }),
    column('title', 'Users', ['120px', 'minmax(90px, 1fr)'], ({ users }) => plural(users, 'user')),
    column('user', 'Sources', ['minmax(120px, 1fr)', ''], sourcesText),
    column('size end', 'Notifications', ['150px', '130px'], progressOf, { word: () => 'sent' }),
  ],
  useDetail: (deletion) => ({
    badge: deletion.status,
    look: lookOf(deletion),
    title: plural(deletion.users, 'user'),
    facts: [
      ['Id', deletion.id],
      ['Requested', formatMoment(deletion.at, Date.now()), deletion.at],
      ['Sources', sourcesText(deletion)],
      ['Notifications', formatCount(deletion.notifications)],
      ['Recent deliveries', `${plural(deletion.erased, 'attempt')} removed`],
    ],
    below: (
      <>
        <Names of={deletion.sources} />
        <Progress label="Notifications sent" done={deletion.done} of={deletion.notifications}>
          {progressOf(deletion)} notifications sent
        </Progress>
      </>
    ),
  }),
};

function Request() {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <div class="strip line apart">
        <p class="note">A deletion asks every destination of the sources to delete its data about the users.</p>
        <Button isChange id="request-deletion" look="primary" onClick={() => setAsking(true)}>
          Request a deletion
        </Button>
      </div>
      {isAsking && <DeletionForm onClose={() => setAsking(false)} />}
    </>
  );
}
