import { useEffect, useRef, useState } from 'preact/hooks';
import { formatCount, plural } from '../../../base/text/plural.js';
import type { SourcePage } from '../../../service/api/answer-types.js';
import type { DeletionPreview, DeletionReport } from '../../../service/api/deletion-answers.js';
import { firstNames } from '../format-values.js';
import { ConfirmButton } from '../ui/confirm-button.js';
import { Button, CloseButton } from '../ui/detail.js';
import { visible } from '../ui/visible.js';
import { problemOf, send, withQuery } from './api.js';
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

const SILENT = { look: '', text: '' };
const AUDIENCES = '(audiences)';

/** The dialog that requests a deletion. It first shows what would be erased, and no source is preselected. */
export function DeletionForm({ onClose, onDone }: { onClose(): void; onDone(): void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const [said, say] = useState(SILENT);
  const [chosen, choose] = useState<'all' | readonly string[]>([]);
  const [preview, setPreview] = useState('');
  useEffect(() => {
    dialog.current?.showModal();
    dialog.current?.querySelector('textarea')?.focus();
  }, []);
  const { ids, repeated } = readUserIds(text);
  const choice = JSON.stringify([text, chosen]);
  const latest = useRef(choice);
  latest.current = choice;
  const ask = <T,>(more: object): Promise<T> =>
    send<T>('POST', '/v1/deletions', { userIds: ids, sources: chosen, ...more });
  const refuse = (problem: string): false => {
    say({ look: 'bad', text: problem });
    return false;
  };
  const prepare = async (): Promise<boolean> => {
    if (ids.length === 0) return refuse('Enter at least one user id.');
    if (ids.length > MAX_USERS) return refuse(tooMany(ids.length));
    if (chosen.length === 0) return refuse('Choose the sources, or all of them.');
    try {
      const counted = previewText(await ask<DeletionPreview>({ dryRun: true }));
      // The user may have changed the choice in the meantime.
      if (latest.current !== choice) return false;
      setPreview(counted);
      say(SILENT);
      return true;
    } catch (error) {
      return refuse(problemOf(error));
    }
  };
  const request = async (): Promise<void> => {
    try {
      const { users, notifications } = await ask<DeletionReport>({});
      setText('');
      say({
        look: 'good',
        text: `Recorded: ${plural(users, 'user')}, ${plural(notifications, 'notification')} to send.`,
      });
      onDone();
    } catch (error) {
      refuse(problemOf(error));
    }
  };
  return (
    <dialog class="card" id="deletion-form" ref={dialog} aria-labelledby="deletion-title" onClose={onClose}>
      <header class="bar apart">
        <h2 id="deletion-title">Request a deletion</h2>
        <CloseButton onClick={() => dialog.current?.close()} />
      </header>
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
          onInput={({ currentTarget: { value } }) => {
            setText(value);
            const { length } = readUserIds(value).ids;
            say(length > MAX_USERS ? { look: 'bad', text: tooMany(length) } : SILENT);
          }}
        />
      </label>
      <p class="note" id="deletion-count">
        {ids.length === 0 ? 'No users yet' : plural(ids.length, 'user')}
        {repeated > 0 && `, ${plural(repeated, 'line')} repeated`}
      </p>
      <SourceField chosen={chosen} onChoose={choose} />
      <p class={`says ${said.look}`} id="deletion-says" role="status">
        {said.text}
      </p>
      <ConfirmButton
        // A confirmation that shows the counts of another choice must not be used.
        key={choice}
        text={ids.length === 0 ? 'Delete' : `Delete ${plural(ids.length, 'user')}`}
        question={preview}
        prepare={prepare}
        onConfirm={request}
      />
    </dialog>
  );
}

interface SourceFieldProps {
  readonly chosen: 'all' | readonly string[];
  onChoose(chosen: 'all' | readonly string[]): void;
}

/** Lets the user search for sources, or choose all of them. */
function SourceField({ chosen, onChoose }: SourceFieldProps) {
  const [q, setQ] = useState('');
  const { value: page } = useAnswer<SourcePage>(chosen === 'all' ? '' : withQuery('/v1/sources', { q, limit: '6' }));
  const names = chosen === 'all' ? [] : chosen;
  const others = [...(page?.sources ?? []).map(({ name }) => name), AUDIENCES].filter((name) => !names.includes(name));
  return (
    <fieldset>
      <legend class="note">Sources</legend>
      <label>
        <input
          type="checkbox"
          checked={chosen === 'all'}
          onChange={({ currentTarget: { checked } }) => onChoose(checked ? 'all' : [])}
        />
        All sources and the audiences
      </label>
      {chosen !== 'all' && (
        <>
          <ul class="names line" aria-label="Chosen sources">
            {names.map((name) => (
              <li key={name}>
                <Button
                  label={`Leave out ${visible(name)}`}
                  onClick={() => onChoose(names.filter((each) => each !== name))}
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
            {others.map((name) => (
              <li key={name}>
                <Button look="link" label={`Choose ${visible(name)}`} onClick={() => onChoose([...names, name])}>
                  {visible(name)}
                </Button>
              </li>
            ))}
          </ul>
        </>
      )}
    </fieldset>
  );
}

const tooMany = (count: number): string =>
  `${formatCount(count - MAX_USERS)} too many: one request takes up to ${formatCount(MAX_USERS)} users.`;
