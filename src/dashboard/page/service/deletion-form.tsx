import { useEffect, useRef, useState } from 'preact/hooks';
import { formatCount, plural } from '../../../base/text/plural.js';
import type { RequestedDeletion, SourcePage } from '../../../service/api/answer-types.js';
import { ConfirmButton } from '../ui/confirm-button.js';
import { Button } from '../ui/detail.js';
import { visible } from '../ui/visible.js';
import { get, problemOf, send } from './api.js';
import { MAX_USERS, readUserIds } from './user-ids.js';

interface Said {
  readonly look: '' | 'good' | 'bad';
  readonly text: string;
}
const SILENT: Said = { look: '', text: '' };

export function DeletionForm({ onClose, onDone }: { onClose(): void; onDone(): void }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState('');
  const [said, say] = useState(SILENT);
  const [sources, setSources] = useState<readonly string[]>([]);
  const [chosen, choose] = useState<readonly string[]>([]);
  const [isSending, setSending] = useState(false);
  useEffect(() => {
    field.current?.focus();
    get<SourcePage>('/v1/sources').then(
      (page) => setSources(page.sources.map(({ name }) => name)),
      (error) => say({ look: 'bad', text: problemOf(error) }),
    );
  }, []);
  const { ids, repeated } = readUserIds(text);

  /** Says at once that there are too many. */
  const type = (typed: string): void => {
    setText(typed);
    const { length } = readUserIds(typed).ids;
    say(length > MAX_USERS ? { look: 'bad', text: tooMany(length) } : SILENT);
  };
  const refuse = (problem: string): false => {
    say({ look: 'bad', text: problem });
    field.current?.focus();
    return false;
  };
  const isComplete = (): boolean => {
    if (ids.length === 0) return refuse('Enter at least one user id.');
    if (ids.length > MAX_USERS) return refuse(tooMany(ids.length));
    say(SILENT);
    return true;
  };
  const request = async (): Promise<void> => {
    setSending(true);
    try {
      const body = { userIds: ids, ...(chosen.length > 0 && { sources: chosen }) };
      const { users, notifications } = await send<RequestedDeletion>('POST', '/v1/deletions', body);
      setText('');
      const notified = plural(notifications, 'notification');
      say({ look: 'good', text: `Recorded: ${plural(users, 'user')}, ${notified} to send.` });
      field.current?.focus();
      onDone();
    } catch (error) {
      refuse(problemOf(error));
    }
    setSending(false);
  };

  const again = repeated === 0 ? '' : `, ${plural(repeated, 'line')} repeated`;
  return (
    <form
      class="strip form"
      id="deletion-form"
      noValidate
      onSubmit={(event) => event.preventDefault()}
      onKeyDown={({ key }) => key === 'Escape' && onClose()}
    >
      <label class="note">
        User ids, one per line
        <textarea
          ref={field}
          id="deletion-ids"
          rows={7}
          spellcheck={false}
          autocomplete="off"
          aria-describedby="deletion-count deletion-says"
          aria-invalid={said.look === 'bad'}
          value={text}
          onInput={({ currentTarget }) => type(currentTarget.value)}
        />
      </label>
      <p class="note" id="deletion-count">
        {ids.length === 0 ? 'No users yet' : `${plural(ids.length, 'user')}${again}`}
      </p>
      <fieldset class="line">
        <legend class="note">Only at these sources; none means all</legend>
        {sources.map((name) => (
          <label key={name}>
            <input
              type="checkbox"
              value={name}
              checked={chosen.includes(name)}
              onChange={({ currentTarget: { checked } }) =>
                choose(checked ? [...chosen, name] : chosen.filter((each) => each !== name))
              }
            />
            {name}
          </label>
        ))}
      </fieldset>
      <p class={`says ${said.look}`} id="deletion-says" role="status">
        {said.text}
      </p>
      <div class="sides line">
        <ConfirmButton
          text={ids.length === 0 ? 'Delete' : `Delete ${plural(ids.length, 'user')}`}
          question={`This removes ${plural(ids.length, 'user')} from every audience, and asks the destinations of ${namesOf(chosen)} to delete their data. It cannot be undone.`}
          disabled={isSending}
          prepare={isComplete}
          onConfirm={request}
        />
        <Button onClick={onClose}>Close</Button>
      </div>
    </form>
  );
}

const namesOf = (sources: readonly string[]): string =>
  sources.length === 0 ? 'all sources' : sources.map(visible).join(', ');

const tooMany = (count: number): string =>
  `${formatCount(count - MAX_USERS)} too many: one request takes up to ${formatCount(MAX_USERS)} users.`;
