import { inOwnContext } from '../../base/platform/node.js';
import type { JournalParts } from './journal-dependencies.js';

type WriteLoopParts = Pick<JournalParts, 'clock' | 'problems' | 'onEvent'>;

/** How long the journal waits after a failure before it tries again, in ms. */
export const RETRY_MS = 1_000;

/**
 * Decides when a journal writes: at the end of each turn of the event loop in which something changed, and one second after a
 * failure. It reports when the journal cannot write, and when it can again.
 */
export class WriteLoop {
  readonly #parts: WriteLoopParts;
  readonly #write: () => void;
  readonly #onWritten: () => void;
  /** `queued`: a write follows at the end of this turn. `failed`: a timer starts the next attempt. */
  #state: 'idle' | 'queued' | 'failed' | 'closed' = 'idle';
  /** True between the events `failing` and `storing`. */
  #isFailing = false;
  #cancelRetry: () => void = () => {};

  /** @param write hands everything to the operating system, or throws the system's error */
  constructor(parts: WriteLoopParts, write: () => void, onWritten: () => void) {
    this.#parts = parts;
    this.#write = write;
    this.#onWritten = onWritten;
  }

  get isFailing(): boolean {
    return this.#isFailing;
  }

  get isClosed(): boolean {
    return this.#state === 'closed';
  }

  /** Notes a change, which is written at the end of this turn. */
  queue(): void {
    if (this.#state !== 'idle') return;
    this.#state = 'queued';
    // A tick comes after all microtasks, so that callers that await something between their calls cause one large write.
    inOwnContext(process.nextTick, this.#writeQueued);
  }

  /** Notes a change that can wait until the next request has left, which takes two turns: the collector works meanwhile. */
  queueLater(): void {
    inOwnContext(setImmediate, () => setImmediate(() => this.queue()));
  }

  /** Writes now, unless an attempt has just failed. */
  write(): void {
    if (this.#state === 'idle' || this.#state === 'queued') this.#attempt();
  }

  /** Writes now, even after a failed attempt. */
  writeNow(): void {
    if (this.#state !== 'closed') this.#attempt();
  }

  /** Notes a failure, reports the first one, and tries to write again after `RETRY_MS`. */
  fail(error: unknown): void {
    if (this.#state === 'closed') return;
    const { clock, problems, onEvent } = this.#parts;
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
    this.#cancelRetry();
    this.#state = 'idle';
    try {
      this.#write();
    } catch (error) {
      this.fail(error);
      return;
    }
    if (this.#isFailing) {
      this.#isFailing = false;
      this.#parts.onEvent({ kind: 'storing' });
    }
    this.#onWritten();
  }
}
