import { make, setText } from '../dom.js';

/** A bar and its text. */
export class Progress {
  readonly element: HTMLElement;
  readonly #bar = make('progress', '');
  readonly #text = make('p', 'load');

  constructor(label: string) {
    this.#bar.setAttribute('aria-label', label);
    this.element = make('div', 'progress', this.#bar, this.#text);
  }

  /** @param total undefined while it is unknown */
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
