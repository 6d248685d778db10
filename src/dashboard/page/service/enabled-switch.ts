import type { DestinationReport } from '../../../service/api/answers.js';
import { button, make, setText } from '../dom.js';
import { pathOf, problemOf, send } from './api.js';

const ON = 'On again: what sources send from now on is forwarded here.';
const OFF =
  'Off: what sources send from now on is not forwarded here and not kept for later. What waits already still goes out.';

/** Switches a destination on and off, at once; what was done can be undone beside it. */
export class EnabledSwitch {
  readonly element = make('button', 'switch');
  /** What the switch has done or means, and the way back. */
  readonly says = make('div', 'switched');
  readonly #name: string;
  readonly #text = make('p', '');
  readonly #undo: HTMLButtonElement;
  #isOn = true;
  #isConfigured = true;
  /** While the service is asked, what it said before is not shown. */
  #isAsking = false;
  /** What was switched to here, and can be undone. */
  #chosen: boolean | undefined;
  #problem = '';

  constructor(name: string) {
    this.#name = name;
    this.element.type = 'button';
    this.element.setAttribute('role', 'switch');
    this.element.setAttribute('aria-label', `Forward to ${name}`);
    this.element.append(make('span', 'state'), make('span', 'knob'));
    this.element.addEventListener('click', () => void this.#switch(!this.#isOn, !this.#isOn));
    this.#undo = button('Undo', 'quiet framed', () => void this.#switch(!this.#isOn, undefined));
    this.#text.setAttribute('role', 'status');
    this.says.append(this.#text, this.#undo);
    this.#draw();
  }

  show({ enabled, configuredEnabled }: DestinationReport): void {
    if (this.#isAsking) return;
    // Somebody else has switched it since.
    if (this.#chosen !== undefined && this.#chosen !== enabled) this.#chosen = undefined;
    // Or it was switched here although no answer came.
    if (this.#isOn !== enabled) this.#problem = '';
    this.#isOn = enabled;
    this.#isConfigured = configuredEnabled;
    this.#draw();
  }

  async #switch(to: boolean, chosen: boolean | undefined): Promise<void> {
    if (this.#isAsking) return;
    const before = this.#isOn;
    // The button that is pressed goes with what it undoes.
    if (chosen === undefined) this.element.focus();
    this.#isAsking = true;
    this.#isOn = to;
    this.#chosen = chosen;
    this.#problem = '';
    this.#draw();
    try {
      await send('PUT', pathOf('destinations', this.#name, 'enabled'), { enabled: to });
    } catch (error) {
      this.#isOn = before;
      this.#chosen = undefined;
      this.#problem = `It is still ${before ? 'on' : 'off'}. ${problemOf(error)}`;
    }
    this.#isAsking = false;
    this.#draw();
  }

  #draw(): void {
    const isOn = this.#isOn;
    this.element.setAttribute('aria-checked', String(isOn));
    const [state] = this.element.children;
    if (state !== undefined) setText(state, isOn ? 'On' : 'Off');
    this.#undo.hidden = this.#isAsking || this.#chosen === undefined;
    this.#text.className = this.#problem === '' ? '' : 'bad';
    setText(this.#text, this.#problem || this.#meaning());
  }

  #meaning(): string {
    if (this.#isAsking) return `Switching it ${this.#isOn ? 'on' : 'off'} …`;
    if (this.#chosen === true) return ON;
    if (!this.#isOn) return this.#isConfigured ? OFF : `${OFF} The configuration has it so.`;
    return this.#isConfigured ? '' : 'On, though the configuration has it off.';
  }
}
