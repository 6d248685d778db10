import { formatCount, plural } from '../../../plural.js';
import type { DeadLetter, DestinationReport, LetterJob } from '../../../service/api/answers.js';
import { say } from '../clipboard.js';
import { type Column, column } from '../columns.js';
import { button, make, setText } from '../dom.js';
import { withoutScheme } from '../format.js';
import { formatMoment } from '../moment.js';
import { get, sayProblem } from './api.js';
import { ConfirmButton } from './confirm-button.js';
import { DeadLetterPages, PAGE } from './dead-letter-pages.js';
import { letterDetail } from './letter-detail.js';
import { LetterFilterForm, REASONS } from './letter-filter.js';
import { Table } from './table.js';
import type { View } from './view.js';

/** How far from its end a list asks for the page that follows, in pixels. */
const NEAR_PX = 600;

const answerOf = ({ endpoints }: DeadLetter): string => {
  const last = endpoints[0]?.attempts.at(-1);
  return last === undefined ? '' : String(last.status ?? last.code ?? last.result);
};

const columns: readonly Column<DeadLetter>[] = [
  column('time', 'Accepted', ['120px'], ({ acceptedAt }) => formatMoment(acceptedAt, Date.now())),
  column('badge', 'Type', ['74px'], ({ type }) => type, { look: ({ type }) => type }),
  column('title', 'Event and message id', ['minmax(120px, 1fr)', 'minmax(110px, 1fr)'], ({ event, id }) =>
    [event, id].filter(Boolean).join(' · '),
  ),
  column('user', 'Webhook', ['minmax(110px, 1fr)', ''], ({ endpoints }) =>
    endpoints.map(({ url }) => withoutScheme(url)).join(', '),
  ),
  column('source', 'Why', ['140px', ''], ({ endpoints: [first] }) => reasonText(first?.reason)),
  column('size end', 'Last answer', ['100px', '90px'], answerOf),
];

const reasonText = (reason = ''): string => REASONS[reason] ?? reason;

/** Shows, replays and discards dead letters. */
export class DeadLettersView implements View {
  readonly name = 'dead-letters';
  readonly label = 'Dead letters';
  readonly body: HTMLElement;
  readonly #filter = new LetterFilterForm(() => this.#change());
  readonly #replay = button('', 'quiet framed', () => void this.#act('replay'));
  readonly #discard = new ConfirmButton(() => this.#act('discard'));
  readonly #more = button('Show more', 'quiet framed', () => void this.#showMore());
  readonly #shown = make('p', '');
  readonly #changed = make('p', 'changed');
  readonly #reload = button('Reload', 'link', () => this.#change());
  readonly #table: Table<DeadLetter>;
  #pages: DeadLetterPages | undefined;
  /** The number of dead letters when the list was loaded. */
  #countThen = 0;
  /** The number of loads: an older one that ends late is dropped. */
  #begun = 0;

  constructor() {
    this.#table = new Table<DeadLetter>({
      name: 'dead-letters',
      label: 'Dead letters, oldest first',
      detailLabel: 'Dead letter',
      columns,
      key: ({ id }) => id,
      empty: [
        'No dead letters',
        'Deliveries that a webhook refused, or did not take in time, stay here until you replay or discard them.',
      ],
      detail: (letter, close) =>
        letterDetail(letter, {
          close,
          act: (what, { id }) => this.#act(what, id),
          read: async ({ id }) => this.#pages?.read(id),
        }),
    });
    this.#changed.setAttribute('role', 'status');
    const list = this.#table.list.host;
    list.addEventListener('scroll', () => {
      if (list.scrollTop + list.clientHeight > list.scrollHeight - NEAR_PX) void this.#showMore();
    });
    const actions = make('div', 'bulk', this.#replay, this.#discard.element);
    const foot = make('div', 'more', this.#shown, this.#more, this.#changed, this.#reload);
    this.body = make('div', 'view', make('div', 'lead', this.#filter.element, actions), this.#table.pane, foot);
    this.#draw();
  }

  /** Selects a destination for when the view opens. */
  choose(destination: string): void {
    this.#filter.choose(destination);
    this.#pages = undefined;
  }

  async refresh(signal: AbortSignal): Promise<void> {
    const destinations = await get<DestinationReport[]>('/v1/destinations', signal);
    this.#filter.offer(destinations);
    const { destination } = this.#filter.value;
    const count = destinations.find(({ name }) => name === destination)?.deadLetters ?? 0;
    if (destination === '') return this.#forget();
    const isOther = !this.#isOfFilter(this.#pages);
    // A list that was extended stays until its reader reloads it.
    const isAtStart = this.#pages !== undefined && this.#pages.letters.length <= PAGE;
    if (isOther || (count !== this.#countThen && isAtStart)) await this.#begin(signal);
    if (isOther || isAtStart) this.#countThen = count;
    this.#showChange(count - this.#countThen);
  }

  /** The buttons wait for the new numbers: they show old ones. */
  #change(): void {
    this.#replay.disabled = true;
    this.#discard.disabled = true;
    this.#begin().catch(sayProblem);
  }

  #forget(): void {
    this.#pages = undefined;
    this.#draw();
  }

  #isOfFilter(pages: DeadLetterPages | undefined): boolean {
    return JSON.stringify(pages?.filter) === JSON.stringify(this.#filter.value);
  }

  async #begin(signal?: AbortSignal): Promise<void> {
    const pages = new DeadLetterPages(this.#filter.value);
    if (pages.filter.destination === '') return;
    const turn = ++this.#begun;
    await pages.begin(signal);
    // A later choice or action is loading.
    if (turn !== this.#begun || !this.#isOfFilter(pages)) return;
    this.#pages = pages;
    this.#draw();
  }

  async #showMore(): Promise<void> {
    try {
      if (await this.#pages?.more()) this.#draw();
    } catch (error) {
      sayProblem(error);
    }
  }

  async #act(what: 'replay' | 'discard', id?: string): Promise<void> {
    try {
      const done = what === 'replay' ? 'replayed' : 'discarded';
      const tell = ({ deliveries, meant }: LetterJob): void =>
        say(`${formatCount(deliveries)}${meant == null ? '' : ` of ${formatCount(meant)}`} ${done}`);
      const deliveries = (await this.#pages?.act(what, id, tell)) ?? 0;
      say(`${plural(deliveries, 'delivery')} ${done}`);
      await this.#begin();
    } catch (error) {
      sayProblem(error);
    }
    // The focus may have been in the removed letter.
    if (document.activeElement === document.body) this.#table.focus(this.#filter.element.querySelector('select'));
  }

  #draw(): void {
    const { letters = [], deliveries = 0, hasMore = false, filter } = this.#pages ?? {};
    this.#table.show(letters);
    const isFiltered = filter !== undefined && filter.endpoint + filter.type + filter.reason !== '';
    const which = `${isFiltered ? '' : 'all '}${formatCount(deliveries)}`;
    setText(this.#replay, `Replay ${which}`);
    this.#discard.show(`Discard ${which}`, `${plural(deliveries, 'delivery')} cannot be brought back.`);
    this.#replay.disabled = deliveries === 0;
    this.#discard.disabled = deliveries === 0;
    setText(this.#shown, hasMore ? `The first ${formatCount(letters.length)} are shown.` : '');
    this.#more.hidden = !hasMore;
  }

  #showChange(more: number): void {
    this.#reload.hidden = more === 0;
    setText(this.#changed, more === 0 ? '' : 'The dead letters have changed.');
  }
}
