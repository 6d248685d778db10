import type { Clock } from '../../base/time/clock.js';
import type { JournalEvent } from './event.js';
import type { Problems } from './problems.js';

export interface WriteFailureOptions {
  readonly clock: Clock;
  readonly problems: Problems;
  onEvent(event: JournalEvent): void;
  /** Tries to write again. */
  retry(): void;
}

/** How often the journal tries to write again after a failure, in ms. */
export const RETRY_MS = 1_000;

/** Tells when the journal cannot write, and when it can again, and tries in between. */
export class WriteFailure {
  readonly #options: WriteFailureOptions;
  #isGoingOn = false;
  #cancelRetry: (() => void) | undefined;

  constructor(options: WriteFailureOptions) {
    this.#options = options;
  }

  /** Whether the last write has failed. */
  get isGoingOn(): boolean {
    return this.#isGoingOn;
  }

  /** Whether the next attempt has a time of its own. */
  get isWaiting(): boolean {
    return this.#cancelRetry !== undefined;
  }

  /** A write has failed. */
  begin(error: unknown): void {
    const { clock, problems, onEvent, retry } = this.#options;
    this.cancelRetry();
    this.#cancelRetry = clock.after(RETRY_MS, () => {
      this.#cancelRetry = undefined;
      retry();
    });
    if (this.#isGoingOn) return;
    this.#isGoingOn = true;
    onEvent({ kind: 'failing', error: problems.of(error) });
  }

  /** A write has succeeded. */
  end(): void {
    if (!this.#isGoingOn) return;
    this.#isGoingOn = false;
    this.#options.onEvent({ kind: 'storing' });
  }

  cancelRetry(): void {
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
  }
}
