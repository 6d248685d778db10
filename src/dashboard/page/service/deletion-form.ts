import { formatCount, plural } from '../../../plural.js';
import type { DeletionReport, SourceReport } from '../../../service/api/answers.js';
import { button, make, setText } from '../dom.js';
import { get, problemOf, send } from './api.js';
import { MAX_USERS, readUserIds } from './user-ids.js';

/** Asks for users to be deleted. It is opened by a button, and stays until it is closed. */
export class DeletionForm {
  readonly opener = button('Request a deletion', 'primary', () => this.#toggle());
  readonly element: HTMLFormElement;
  readonly #onDone: () => void;
  readonly #ids = make('textarea', '');
  readonly #count = make('p', 'counted', 'No users yet');
  readonly #says = make('p', 'says');
  readonly #sources = make('fieldset', 'choices');
  readonly #submit = make('button', 'primary', 'Delete');

  constructor(onDone: () => void) {
    this.#onDone = onDone;
    Object.assign(this.#ids, { id: 'deletion-ids', rows: 7, spellcheck: false, autocomplete: 'off' });
    this.#ids.setAttribute('aria-describedby', 'deletion-count deletion-says');
    this.#count.id = 'deletion-count';
    this.#says.id = 'deletion-says';
    this.#says.setAttribute('role', 'status');
    this.element = make(
      'form',
      'deletion-form',
      make('label', '', 'User ids, one per line', this.#ids),
      this.#count,
      this.#sources,
      this.#says,
      make(
        'div',
        'copies',
        this.#submit,
        button('Close', 'quiet framed', () => this.#toggle()),
      ),
    );
    this.element.id = 'deletion-form';
    this.element.noValidate = true;
    this.element.hidden = true;
    this.opener.setAttribute('aria-expanded', 'false');
    this.opener.setAttribute('aria-controls', this.element.id);
    this.#ids.addEventListener('input', () => this.#draw());
    this.element.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#request();
    });
    this.element.addEventListener('keydown', ({ key }) => {
      if (key === 'Escape') this.#toggle();
    });
    this.#draw();
  }

  #toggle(): void {
    const isOpen = this.element.hidden;
    this.element.hidden = !isOpen;
    this.opener.setAttribute('aria-expanded', String(isOpen));
    if (!isOpen) {
      this.opener.focus();
      return;
    }
    this.#say('', '');
    this.#ids.focus();
    this.#offerSources().catch((error) => this.#say('bad', problemOf(error)));
  }

  /** None chosen is all of them. */
  async #offerSources(): Promise<void> {
    const sources = await get<SourceReport[]>('/v1/sources');
    const chosen = this.#chosenSources();
    const choices = sources.map(({ name }) => {
      const box = make('input', '');
      Object.assign(box, { type: 'checkbox', value: name, checked: chosen.includes(name) });
      return make('label', '', box, name);
    });
    this.#sources.replaceChildren(make('legend', '', 'Only at these sources; none means all'), ...choices);
  }

  #chosenSources(): string[] {
    const boxes = [...this.#sources.querySelectorAll('input')];
    return boxes.filter(({ checked }) => checked).map(({ value }) => value);
  }

  /** Says how many there are while they are typed, and at once when they are too many. */
  #draw(): void {
    const { ids, repeated } = readUserIds(this.#ids.value);
    const again = repeated === 0 ? '' : `, ${plural(repeated, 'line')} repeated`;
    setText(this.#count, ids.length === 0 ? 'No users yet' : `${plural(ids.length, 'user')}${again}`);
    setText(this.#submit, ids.length === 0 ? 'Delete' : `Delete ${plural(ids.length, 'user')}`);
    const isTooMany = ids.length > MAX_USERS;
    this.#ids.setAttribute('aria-invalid', String(isTooMany));
    this.#say(isTooMany ? 'bad' : '', isTooMany ? tooMany(ids.length) : '');
  }

  async #request(): Promise<void> {
    const { ids } = readUserIds(this.#ids.value);
    if (ids.length === 0) this.#refuse('Enter at least one user id.');
    else if (ids.length > MAX_USERS) this.#refuse(tooMany(ids.length));
    else await this.#post(ids);
  }

  async #post(userIds: readonly string[]): Promise<void> {
    const sources = this.#chosenSources();
    this.#submit.disabled = true;
    try {
      const body = { userIds, ...(sources.length > 0 && { sources }) };
      const { users, notifications } = await send<DeletionReport>('POST', '/v1/deletions', body);
      this.#ids.value = '';
      this.#draw();
      this.#say('good', `Recorded: ${plural(users, 'user')}, ${plural(notifications, 'notification')} to send.`);
      this.#ids.focus();
      this.#onDone();
    } catch (error) {
      this.#refuse(problemOf(error));
    }
    this.#submit.disabled = false;
  }

  #refuse(problem: string): void {
    this.#say('bad', problem);
    this.#ids.setAttribute('aria-invalid', 'true');
    this.#ids.focus();
  }

  #say(look: '' | 'good' | 'bad', text: string): void {
    this.#says.className = `says ${look}`;
    setText(this.#says, text);
  }
}

const tooMany = (count: number): string =>
  `${formatCount(count - MAX_USERS)} too many: one request takes up to ${formatCount(MAX_USERS)} users.`;
