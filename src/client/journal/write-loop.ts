import { inOwnContext } from '../../base/platform/node.js';
import type { JournalDependencies } from './journal-dependencies.js';
import type { Problems } from './system-errors.js';

export interface WriteLoopOptions extends Pick<JournalDependencies, 'clock' | 'onEvent'> {
  readonly problems: Problems;
  /** Hands everything to the operating system. @throws the system's error */
  write(): void;
  onWritten(): void;
}

/** The journal waits this long after a failure before it tries again, in ms. */
export const RETRY_MS = 1_000;

/**
 * When a journal writes: at the end of a turn of the event loop in which something changed, and after a failure a second later. Tells
 * when it cannot write, and when it can again.
 */
export class WriteLoop {
  readonly #options: WriteLoopOptions;
  /** `queued`: it writes at the end of this turn. `failed`: the next attempt has a time of its own. */
  #state: 'idle' | 'queued' | 'failed' | 'closed' = 'idle';
  /** True from the event that tells that it cannot write to the one that tells that it can. */
  #isFailing = false;
  #cancelRetry: () => void = () => {};

  constructor(options: WriteLoopOptions) {
    this.#options = options;
  }

  get isFailing(): boolean {
    return this.#isFailing;
  }

  get isClosed(): boolean {
    return this.#state === 'closed';
  }

  /** Something changed. */
  queue(): void {
    if (this.#state !== 'idle') return;
    this.#state = 'queued';
    inOwnContext(() => queueMicrotask(this.#writeQueued));
  }

  /** Writes now, unless an attempt has just failed. */
  write(): void {
    if (this.#state === 'idle' || this.#state === 'queued') this.#attempt();
  }

  /** Writes now in any case. */
  writeNow(): void {
    if (this.#state !== 'closed') this.#attempt();
  }

  /** Writes again what did not reach the disk, or what another client would not find. */
  fail(error: unknown): void {
    if (this.#state === 'closed') return;
    const { clock, problems, onEvent } = this.#options;
    this.#cancelRetry();
    this.#state = 'failed';
    this.#cancelRetry = clock.after(RETRY_MS, () => this.writeNow());
    if (this.#isFailing) return;
    this.#isFailing = true;
    onEvent({ kind: 'failing', error: problems.of(error) });
  }

  close(): void {
    this.#cancelRetry();
    this.#state = 'closed';
  }

  readonly #writeQueued = (): void => {
    if (this.#state === 'queued') this.#attempt();
  };

  #attempt(): void {
    const { write, onWritten, onEvent } = this.#options;
    this.#cancelRetry();
    this.#state = 'idle';
    try {
      write();
    } catch (error) {
      this.fail(error);
      return;
    }
    if (this.#isFailing) {
      this.#isFailing = false;
      onEvent({ kind: 'storing' });
    }
    onWritten();
  }
}
