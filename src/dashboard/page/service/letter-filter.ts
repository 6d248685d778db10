import type { DestinationReport } from '../../../service/api/answers.js';
import { make } from '../dom.js';
import { withoutScheme } from '../format.js';
import type { LetterFilter } from './dead-letter-pages.js';

const TYPES = ['track', 'identify', 'page', 'screen', 'group', 'alias', 'delete'];

/** Why a delivery was given up, in words. */
export const REASONS: Readonly<Record<string, string>> = {
  permanent: 'refused for good',
  'retries-used': 'every attempt failed',
  'window-over': 'retry window over',
  'backlog-full': 'backlog full',
};

/** Which dead letters are shown: those of a destination, of one of its webhooks, of a type, given up for a reason. */
export class LetterFilterForm {
  readonly element: HTMLElement;
  readonly #destination = make('select', '');
  readonly #endpoint = make('select', '');
  readonly #type = make('select', '', ...TYPES.map((type) => new Option(type)));
  readonly #reason = make(
    'select',
    '',
    new Option('all reasons', ''),
    ...Object.entries(REASONS).map(([reason, text]) => new Option(text, reason)),
  );
  #destinations: readonly DestinationReport[] = [];
  #wanted = '';

  constructor(onChange: () => void) {
    this.#type.prepend(new Option('all types', ''));
    this.#type.value = '';
    this.element = make(
      'div',
      'choices-line',
      make('label', 'choice', make('span', '', 'Destination'), this.#destination),
      make('label', 'choice', make('span', '', 'Webhook'), this.#endpoint),
      make('label', 'choice', make('span', '', 'Type'), this.#type),
      make('label', 'choice', make('span', '', 'Why'), this.#reason),
    );
    this.#destination.addEventListener('change', () => {
      this.choose(this.#destination.value);
      onChange();
    });
    for (const select of [this.#endpoint, this.#type, this.#reason]) select.addEventListener('change', onChange);
  }

  get value(): LetterFilter {
    return {
      destination: this.#destination.value,
      endpoint: this.#endpoint.value,
      type: this.#type.value,
      reason: this.#reason.value,
    };
  }

  choose(destination: string): void {
    this.#wanted = destination;
    this.#endpoint.value = '';
    this.#type.value = '';
    this.#reason.value = '';
    this.#draw();
  }

  /** One that has dead letters is chosen first. */
  offer(destinations: readonly DestinationReport[]): void {
    this.#destinations = destinations;
    if (!destinations.some(({ name }) => name === this.#wanted)) {
      this.#wanted = (destinations.find(({ deadLetters }) => deadLetters > 0) ?? destinations[0])?.name ?? '';
    }
    this.#draw();
  }

  #draw(): void {
    fill(
      this.#destination,
      this.#destinations.map(({ name }) => ({ value: name, text: name })),
      this.#wanted,
    );
    const chosen = this.#destinations.find(({ name }) => name === this.#wanted);
    const urls = chosen?.endpoints.map(({ url }) => ({ value: url, text: withoutScheme(url) })) ?? [];
    fill(this.#endpoint, [{ value: '', text: 'all webhooks' }, ...urls], this.#endpoint.value);
  }
}

/** Replaces the options only where they differ, so that a list that is open stays so. */
function fill(select: HTMLSelectElement, options: readonly { value: string; text: string }[], chosen: string): void {
  const isSame =
    options.length === select.options.length &&
    options.every(({ value }, index) => select.options[index]?.value === value);
  if (!isSame) select.replaceChildren(...options.map(({ value, text }) => new Option(text, value)));
  if (select.value !== chosen) select.value = chosen;
  if (select.selectedIndex === -1) select.selectedIndex = 0;
}
