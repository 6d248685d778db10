import type { DeadLetter, DeadLetterWithBody } from '../../../service/api/answers.js';
import type { AttemptReport, DeliveryExplanation } from '../../../service/api/delivery-answers.js';
import { copy } from '../clipboard.js';
import { sentence } from '../delivery-detail.js';
import { facts, head } from '../detail.js';
import { button, make } from '../dom.js';
import { formatDuration, withoutScheme } from '../format.js';
import { jsonView } from '../json-view.js';
import { formatMoment } from '../moment.js';
import { get, pathOf, problemOf } from './api.js';
import { ConfirmButton } from './confirm-button.js';
import { figures } from './figures.js';
import type { Detail } from './table.js';

export interface LetterDetailOptions {
  close(): void;
  act(what: 'replay' | 'discard', letter: DeadLetter): Promise<void>;
  /** The letter with its message. */
  read(letter: DeadLetter): Promise<DeadLetterWithBody | undefined>;
}

/** A dead letter: its actions, its state at every destination, and its message. */
export function letterDetail(letter: DeadLetter, { close, act, read }: LetterDetailOptions): Detail<DeadLetter> {
  const { id, type, event, userId, anonymousId, acceptedAt } = letter;
  const discard = new ConfirmButton(() => act('discard', letter));
  discard.show('Discard', 'It cannot be brought back.');
  const places = make('div', 'places');
  places.append(...letter.endpoints.map(({ url, attempts }) => placeOf('dead', 'dead', url, '', attempts)));
  const message = make('div', '');
  void explain(id, places);
  void showMessage(message, () => read(letter));
  return {
    nodes: [
      head(make('span', `badge ${type}`, type), id, close),
      facts([
        ...(event === undefined ? [] : [['Event', event] as const]),
        ['User', userId ?? anonymousId ?? 'unknown'],
        ['Accepted', formatMoment(acceptedAt, Date.now())],
      ]),
      make(
        'div',
        'copies',
        button('Replay', 'quiet framed act', () => void act('replay', letter)),
        discard.element,
        button('Copy message id', 'quiet framed', () => void copy(id, 'Message id')),
      ),
      places,
      message,
    ],
  };
}

/** Shows the message of the letter. */
async function showMessage(place: HTMLElement, read: () => Promise<DeadLetterWithBody | undefined>): Promise<void> {
  try {
    const letter = await read();
    if (letter !== undefined) place.replaceChildren(make('h3', '', 'Message'), jsonView(letter.body));
  } catch (error) {
    place.replaceChildren(make('p', 'bad', problemOf(error)));
  }
}

/** Replaces the data of the letter by the explanation of the service. */
async function explain(id: string, places: HTMLElement): Promise<void> {
  try {
    const explanations = await get<DeliveryExplanation[]>(pathOf('deliveries', id));
    places.replaceChildren(...explanations.flatMap(explained));
  } catch (error) {
    places.append(make('p', 'bad', problemOf(error)));
  }
}

function explained({ destination, endpoints }: DeliveryExplanation): HTMLElement[] {
  return [
    make('h3', '', destination),
    ...endpoints.map(({ url, phase, why, rule, nextAttemptAt, attempts }) => {
      const next = nextAttemptAt == null ? '' : ` Next attempt ${formatMoment(nextAttemptAt, Date.now())}.`;
      const because = rule ? ` ${sentence(rule)}` : '';
      return placeOf(phase, lookOf(phase), url, `${sentence(why)}${because}${next}`, attempts);
    }),
  ];
}

const lookOf = (phase: string): string => (phase === 'dead' || phase === 'delivered' ? phase : 'retry');

function placeOf(
  phase: string,
  look: string,
  url: string,
  why: string,
  attempts: readonly AttemptReport[],
): HTMLElement {
  const line = make('p', 'place', make('span', `badge ${look}`, phase), make('span', 'url', withoutScheme(url)));
  const parts: Node[] = [line];
  if (why !== '') parts.push(make('p', 'reason', why));
  if (attempts.length > 0) parts.push(attemptsTable(attempts));
  const answer = attempts.at(-1)?.answer;
  if (answer) parts.push(make('p', 'reason', 'The last answer began:'), make('pre', 'answer', answer.text));
  return make('section', '', ...parts);
}

function attemptsTable(attempts: readonly AttemptReport[]): HTMLElement {
  const lines = attempts.map(({ at, status, code, result, durationMs }) =>
    make(
      'tr',
      '',
      make('td', '', formatMoment(at, Date.now())),
      make('td', '', String(status ?? code ?? result)),
      make('td', 'end', formatDuration(Math.round(durationMs))),
    ),
  );
  return figures(['Latest attempts', 'Answer', 'Took'], ['Took'], make('tbody', '', ...lines.reverse()));
}
