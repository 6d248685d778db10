import { button, make, setText } from '../dom.js';

/** A button that asks for confirmation in its place, because its action cannot be undone. */
export class ConfirmButton {
  readonly element = make('span', 'sure');
  readonly #first: HTMLButtonElement;
  readonly #question = make('span', 'question');
  readonly #yes: HTMLButtonElement;
  readonly #no: HTMLButtonElement;

  constructor(act: () => Promise<void>) {
    this.#first = button('', 'quiet framed', () => this.#ask(true));
    this.#yes = button('', 'danger', async () => {
      this.#ask(false);
      await act();
    });
    this.#no = button('Keep', 'quiet framed', () => this.#ask(false));
    this.#question.setAttribute('role', 'status');
    this.element.append(this.#first, this.#question, this.#yes, this.#no);
    this.element.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || this.#yes.hidden) return;
      // Otherwise it would close the detail around the button.
      event.stopPropagation();
      this.#ask(false);
    });
    this.#ask(false, false);
  }

  set disabled(isDisabled: boolean) {
    this.#first.disabled = isDisabled;
  }

  /** Sets the text, `Discard 12`, and the question before it. */
  show(text: string, question: string): void {
    setText(this.#first, text);
    setText(this.#yes, text);
    this.#question.dataset['text'] = question;
    if (!this.#yes.hidden) setText(this.#question, question);
  }

  #ask(isAsking: boolean, isFocused = true): void {
    this.#first.hidden = isAsking;
    this.#yes.hidden = !isAsking;
    this.#no.hidden = !isAsking;
    setText(this.#question, isAsking ? (this.#question.dataset['text'] ?? '') : '');
    if (isFocused) (isAsking ? this.#no : this.#first).focus();
  }
}
