import type { Receipt } from '../client/queue/receipt.js';

/** A test that waits for a message for this long, in milliseconds of real time, gets a hint about what it waits for. */
const PATIENCE_MS = 1_000;

// These are saved now, because a test may replace the global timers later.
const { setTimeout: startTimer, clearTimeout: stopTimer } = globalThis;

/** Gives one hint when a test waits for a delivery, because the client's clock stands still until `advance` is called. */
export class AwaitedReceipts {
  readonly #tell: (hint: string) => void;
  readonly #patienceMs: number;
  #isTold = false;

  constructor(tell: (hint: string) => void, patienceMs = PATIENCE_MS) {
    this.#tell = tell;
    this.#patienceMs = patienceMs;
  }

  /** Wraps a receipt so that this object notices when a test awaits it. */
  watch(receipt: Receipt): Receipt {
    const expect = (delivered: Promise<void>): Promise<void> => this.#expect(delivered);
    return {
      messageId: receipt.messageId,
      get delivered() {
        return expect(receipt.delivered);
      },
      get stored() {
        return receipt.stored;
      },
      filtered: receipt.filtered,
    };
  }

  #expect(delivered: Promise<void>): Promise<void> {
    if (this.#isTold) return delivered;
    const timer = startTimer(() => {
      if (this.#isTold) return;
      this.#isTold = true;
      this.#tell(
        'eventferry/testing: `receipt.delivered` waits for its batch, and the time of a captured client stands still. ' +
          'Call `void analytics.flush()`, let time pass with `advance(5_000)`, or make the client with `flushAt: 1`',
      );
    }, this.#patienceMs);
    // In a browser-like environment, such as Jest's jsdom, the timer is a number.
    (timer as { unref?: () => void }).unref?.();
    const stop = (): void => stopTimer(timer);
    delivered.then(stop, stop);
    return delivered;
  }
}
