import { make, setText } from '../dom.js';

/** A bar, and in words what it shows. */
export class Progress {
  readonly element: HTMLElement;
  readonly #bar = make('progress', '');
  readonly #text = make('p', 'load');

  constructor(label: string) {
    this.#bar.setAttribute('aria-label', label);
    this.element = make('div', 'progress', this.#bar, this.#text);
  }

  /** `total` undefined: nobody knows how much there is to do. */
  show(done: number, total: number | undefined, text: string): void {
    if (total === undefined) {
      this.#bar.removeAttribute('value');
    } else {
      this.#bar.max = Math.max(1, total);
      this.#bar.value = total === 0 ? 1 : done;
    }
    setText(this.#text, text);
  }
}
