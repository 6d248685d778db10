import { AbortedError } from '../../base/errors/errors.js';
import { type Clock, within } from '../../base/time/clock.js';
import type { Batcher } from '../queue/batcher.js';
import type { BatchSender } from '../transport/batch-sender.js';
import type { Signalled } from './process-signals.js';

/** How long `close()`, and a process that ends by itself, wait for undelivered messages, in milliseconds. */
export const CLOSE_TIMEOUT_MS = 10_000;

/** How many ms undelivered messages get after a signal that the program does not handle: its sender expects a quick end. */
const SIGNAL_TIMEOUT_MS = 2_000;

export interface EndingOptions {
  readonly clock: Clock;
  readonly batcher: Batcher;
  readonly sender: BatchSender;
  readonly reporter: { lastMoment(): void; tellRest(): void; besideListeners(act: () => void): void };
  readonly journal: { writeNow(): void } | undefined;
  /** @default reacts to a signal while messages wait, but does not close */
  readonly closeOnSignal?: boolean | undefined;
  close(): Promise<unknown>;
}

/** What one client does when its process ends, and on a signal to end. */
export class ClientEnding implements Signalled {
  readonly heedsSignals: boolean;
  readonly #options: EndingOptions;

  constructor(options: EndingOptions) {
    this.#options = options;
    this.heedsSignals = options.closeOnSignal === undefined;
  }

  /**
   * Called when only the client keeps the process alive: sends what waits, for at most the time of close(). Returns a function to
   * call once the messages have ended.
   */
  drain(): () => void {
    const { clock } = this.#options;
    this.hurry();
    const release = clock.hold();
    const cancel = clock.after(CLOSE_TIMEOUT_MS, release);
    return () => {
      cancel();
      release();
    };
  }

  hurry(): void {
    this.#options.batcher.hurry();
    this.#options.sender.hurry();
  }

  /** Delivers the waiting messages. Calls are still accepted, unless `closeOnSignal` is set. */
  finish(): Promise<unknown> {
    if (this.#options.closeOnSignal) return this.#options.close();
    this.hurry();
    return within(this.#options.clock, SIGNAL_TIMEOUT_MS, this.#empty());
  }

  async #empty(): Promise<void> {
    const { batcher, sender, journal } = this.#options;
    // With a journal the client need not wait for a collector that does not answer.
    while (batcher.live.length > 0 && !(journal && sender.lastFailure)) await batcher.flush();
  }

  /** Called immediately before the process ends. Only work that is done before this returns will happen. */
  abandon(): void {
    const { reporter, journal, batcher, sender } = this.#options;
    reporter.lastMoment();
    const why = 'it still waited when the process ended';
    journal?.writeNow();
    batcher.abandon(new AbortedError(why, sender.lastFailure), why);
    reporter.tellRest();
  }

  /** Abandons what `lost` listeners tracked during `abandon`, without calling them again, which might never end. */
  abandonRest(): void {
    this.#options.reporter.besideListeners(() => this.abandon());
  }
}
