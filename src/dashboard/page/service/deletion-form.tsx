import { useRef, useState } from 'preact/hooks';
import { formatCount, plural } from '../../../base/text/plural.js';
import type { DeletionPreview } from '../../../service/api/deletion-answers.js';
import { firstNames } from '../format-values.js';
import { ConfirmButton, type Found } from '../ui/confirm-button.js';
import { Button } from '../ui/detail.js';
import { Dialog } from '../ui/dialog.js';
import { visible } from '../ui/visible.js';
import { problemOf, send } from './api.js';
import { useAnswer } from './poll.js';
import { MAX_USERS, readUserIds } from './user-ids.js';

/** Describes how much will be erased, and who is notified. */
function previewText({ users, notifications, memberships, bySource, hasMore }: DeletionPreview): string {
  const sum = (of: 'waiting' | 'dead' | 'attempts'): number => bySource.reduce((total, each) => total + each[of], 0);
  const told = [...new Set(bySource.flatMap(({ destinations }) => destinations))].map(visible);
  const erased = [
    `${formatCount(sum('waiting'))} waiting`,
    plural(sum('dead'), 'dead letter'),
    plural(sum('attempts'), 'recent attempt'),
    plural(memberships, 'membership'),
  ].join(', ');
  const to = told.length === 0 ? '' : ` to ${firstNames(told)}`;
  const least = hasMore === true ? 'at least ' : '';
  return `This erases ${least}${erased} of ${plural(users, 'user')}, and sends ${plural(notifications, 'notification')}${to}. It cannot be undone.`;
}

type Chosen = 'all' | readonly string[];

const SILENT = { look: '', text: '' };

/** Keeps what the user entered, and what the service says to it. */
function useRequest() {
  const [text, setText] = useState('');
  const [said, say] = useState(SILENT);
  const [chosen, choose] = useState<Chosen>([]);
  const { ids, repeated } = readUserIds(text);
  const choice = JSON.stringify([text, chosen]);
  const latest = useRef(choice);
  latest.current = choice;
  const ask = (dryRun?: true) =>
    send('POST /v1/deletions', { userIds: ids, sources: chosen, ...(dryRun && { dryRun }) });
  const refuse = (text: string): undefined => {
    say({ look: 'bad', text });
  };
  const enter = (value: string): void => {
    setText(value);
    const { length } = readUserIds(value).ids;
    say(length > MAX_USERS ? { look: 'bad', text: tooMany(length) } : SILENT);
  };
  const preview = async (): Promise<Found | undefined> => {
    if (ids.length === 0) return refuse('Enter at least one user id.');
    if (ids.length > MAX_USERS) return refuse(tooMany(ids.length));
    if (chosen.length === 0) return refuse('Choose the sources, or all of them.');
    try {
      const what = previewText((await ask(true)) as DeletionPreview);
      // The user may have changed the choice in the meantime, and then the last message is about the new choice.
      if (latest.current === choice) say(SILENT);
      return { what };
    } catch (error) {
      return refuse(problemOf(error));
    }
  };
  const request = async (): Promise<void> => {
    try {
      const { users, notifications } = await ask();
      setText('');
      const sent = `Recorded: ${plural(users, 'user')}, ${plural(notifications, 'notification')} to send.`;
      say({ look: 'good', text: sent });
    } catch (error) {
      refuse(problemOf(error));
    }
  };
  return { text, enter, ids, repeated, chosen, choose, said, choice, preview, request };
}

/** The dialog that requests a deletion. It first shows what would be erased, and no source is preselected. */
export function DeletionForm({ onClose }: { onClose(): void }) {
  const { text, enter, ids, repeated, chosen, choose, said, choice, preview, request } = useRequest();
  return (
    <Dialog id="deletion-form" title="Request a deletion" onClose={onClose}>
      <label class="note">
        User ids, one per line
        <textarea
          id="deletion-ids"
          rows={5}
          spellcheck={false}
          autocomplete="off"
          aria-describedby="deletion-count deletion-says"
          aria-invalid={said.look === 'bad'}
          value={text}
          onInput={({ currentTarget }) => enter(currentTarget.value)}
        />
      </label>
      <p class="note" id="deletion-count">
        {ids.length === 0 ? 'No users yet' : plural(ids.length, 'user')}
        {repeated > 0 && `, ${plural(repeated, 'line')} repeated`}
      </p>
      <SourceField {...{ chosen, choose }} />
      <p class={`says ${said.look}`} id="deletion-says" role="status">
        {said.text}
      </p>
      <ConfirmButton
        // A confirmation that shows the counts of another choice must not be used.
        key={choice}
        text={ids.length === 0 ? 'Delete' : `Delete ${plural(ids.length, 'user')}`}
        prepare={preview}
        onConfirm={request}
      />
    </Dialog>
  );
}

interface SourceFieldProps<C extends Chosen> {
  readonly chosen: C;
  choose(chosen: Chosen): void;
}

/** Lets the user search for sources, or choose all of them. */
const SourceField = ({ chosen, choose }: SourceFieldProps<Chosen>) => (
  <fieldset>
    <legend class="note">Sources</legend>
    <label>
      <input
        type="checkbox"
        checked={chosen === 'all'}
        onChange={({ currentTarget: { checked } }) => choose(checked ? 'all' : [])}
      />
      All sources and the audiences
    </label>
    {chosen !== 'all' && <SourceNames {...{ chosen, choose }} />}
  </fieldset>
);

const AUDIENCES = '(audiences)';

function SourceNames({ chosen, choose }: SourceFieldProps<readonly string[]>) {
  const [q, setQ] = useState('');
  const { value: page } = useAnswer('GET /v1/sources', { q, limit: '6' });
  const names = [...(page?.sources ?? []).map(({ name }) => name), AUDIENCES];
  return (
    <>
      <ul class="names line" aria-label="Chosen sources">
        {chosen.map((name) => (
          <li key={name}>
            <Button
              aria-label={`Leave out ${visible(name)}`}
              onClick={() => choose(chosen.filter((each) => each !== name))}
            >
              {visible(name)} ×
            </Button>
          </li>
        ))}
      </ul>
      <input
        type="search"
        aria-label="Search for a source"
        placeholder="Search for a source"
        value={q}
        onInput={({ currentTarget }) => setQ(currentTarget.value)}
      />
      <ul class="names line" aria-label="Sources to choose">
        {names
          .filter((name) => !chosen.includes(name))
          .map((name) => (
            <li key={name}>
              <Button look="link" aria-label={`Choose ${visible(name)}`} onClick={() => choose([...chosen, name])}>
                {visible(name)}
              </Button>
            </li>
          ))}
      </ul>
    </>
  );
}

const tooMany = (count: number): string =>
  `${formatCount(count - MAX_USERS)} too many: one request takes up to ${formatCount(MAX_USERS)} users.`;
