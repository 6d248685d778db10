import type { DestinationReport } from '../../../service/api/answers.js';
import { button, make, setText } from '../dom.js';
import { pathOf, problemOf, send } from './api.js';

const ON = 'On: new messages are forwarded here.';
const OFF = 'Off: new messages are neither forwarded here nor kept for later. Waiting deliveries still go out.';

/** Switches a destination on and off at once, with an undo beside it. */
export class EnabledSwitch {
  readonly element = make('button', 'switch');
  /** The meaning of the state, and the undo. */
  readonly says = make('div', 'switched');
  readonly #name: string;
  readonly #text = make('p', '');
  readonly #undo: HTMLButtonElement;
  #isOn = true;
  #isConfigured = true;
  /** During a request, older answers are not shown. */
  #isAsking = false;
  /** The state chosen here, which can be undone. */
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
    // Another user has switched it since.
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
    // The undo button disappears with its press.
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
    if (this.#isAsking) return `Switching ${this.#isOn ? 'on' : 'off'} …`;
    if (this.#chosen === true) return ON;
    if (!this.#isOn) return this.#isConfigured ? OFF : `${OFF} It is off in the configuration too.`;
    return this.#isConfigured ? '' : 'On here, off in the configuration.';
  }
}
