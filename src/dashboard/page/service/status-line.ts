import type { Status } from '../../../service/api/answers.js';
import { fact } from '../detail.js';
import { make, setText } from '../dom.js';
import { formatBytes } from '../format.js';
import { formatMoment, formatSpan, msOf } from '../moment.js';
import { get } from './api.js';

/** The state of the service in the footer, and a mistake in its configuration at the top. */
export class StatusLine {
  readonly element = make('footer', 'foot');
  readonly problem = make('p', 'problem config');
  readonly #facts = new Map<string, Text>();

  constructor() {
    this.problem.setAttribute('role', 'alert');
    this.problem.hidden = true;
    const names = ['Version', 'Up', 'Process', 'Store', 'Event loop', 'Configuration'];
    const list = make('dl', '');
    // On a phone it is longer than the screen, and a keyboard must reach its end too.
    list.tabIndex = 0;
    for (const name of names) {
      const value = new Text();
      this.#facts.set(name, value);
      list.append(fact(name, value));
    }
    this.element.append(list);
    this.element.hidden = true;
  }

  async refresh(signal: AbortSignal): Promise<void> {
    this.show(await get<Status>('/v1/status', signal), Date.now());
  }

  show({ version, startedAt, process, store, eventLoopDelayMs: delay, config }: Status, nowMs: number): void {
    const loadedAt = formatMoment(config.loadedAt, nowMs);
    this.#set('Version', version);
    this.#set('Up', formatSpan(nowMs - (msOf(startedAt) ?? nowMs)));
    this.#set('Process', String(process));
    this.#set('Store', `${store.type}, ${formatBytes(store.bytes)}`);
    this.#set('Event loop', `${inMs(delay.p50)} · p99 ${inMs(delay.p99)} · max ${inMs(delay.max)}`);
    this.#set('Configuration', `of ${loadedAt}`);
    this.element.hidden = false;
    const { error } = config;
    this.problem.hidden = error === undefined;
    const says = `The new configuration has a mistake. The configuration of ${loadedAt} stays in use. ${error}`;
    setText(this.problem, error === undefined ? '' : says);
  }

  #set(name: string, text: string): void {
    const value = this.#facts.get(name);
    if (value !== undefined) value.data = text;
  }
}

/** `0.4 ms`, `12 ms`. */
const inMs = (ms: number): string => `${ms < 10 ? Number(ms.toFixed(1)) : Math.round(ms)} ms`;
