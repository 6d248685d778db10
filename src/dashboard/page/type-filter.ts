import { formatCount } from '../../plural.js';
import { byId, make, setText } from './dom.js';

const TYPES = ['track', 'identify', 'page', 'screen', 'group', 'alias'];

/** The six types as switches, each with the number of messages of its type. */
export class TypeFilter {
  readonly chosen = new Set<string>();
  readonly #counts = new Map<string, number>();
  readonly #chips = new Map<string, { readonly button: HTMLButtonElement; readonly count: HTMLElement }>();

  constructor(onChange: () => void) {
    const group = byId('types', HTMLElement);
    for (const type of TYPES) {
      const count = make('span', 'count', '0');
      const button = make('button', `chip ${type}`, type, ' ', count);
      button.type = 'button';
      button.setAttribute('aria-pressed', 'false');
      button.addEventListener('click', () => {
        if (!this.chosen.delete(type)) this.chosen.add(type);
        button.setAttribute('aria-pressed', String(this.chosen.has(type)));
        onChange();
      });
      this.#chips.set(type, { button, count });
      group.append(button);
    }
  }

  count(type: unknown): void {
    const name = String(type);
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  draw(): void {
    for (const [type, { count }] of this.#chips) setText(count, formatCount(this.#counts.get(type) ?? 0));
  }

  resetCounts(): void {
    this.#counts.clear();
    this.draw();
  }

  reset(): void {
    this.chosen.clear();
    for (const { button } of this.#chips.values()) button.setAttribute('aria-pressed', 'false');
  }
}
