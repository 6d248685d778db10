import type { Receipt } from '../client/queue/receipt.js';

/** A test that waits for a message so long, in milliseconds of the machine's clock, is told what it waits for. */
const PATIENCE_MS = 1_000;

// They are read now, because a test may replace the global timers later.
const { setTimeout: startTimer, clearTimeout: stopTimer } = globalThis;

/** Tells once, when a test waits for a message to be delivered, that its time stands still. */
export class AwaitedReceipts {
  readonly #tell: (hint: string) => void;
  readonly #patienceMs: number;
  #isTold = false;

  constructor(tell: (hint: string) => void, patienceMs = PATIENCE_MS) {
    this.#tell = tell;
    this.#patienceMs = patienceMs;
  }

  /** Wraps a receipt, so that a test that awaits it is noticed. */
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
        'eventferry/testing: `receipt.delivered` is awaited, and waits for its batch, as the time of a captured client stands still. ' +
          'Call `void analytics.flush()`, let time pass with `advance(5_000)`, or make the client with `flushAt: 1`',
      );
    }, this.#patienceMs);
    // In the environment of a browser, such as Jest's jsdom, the timer is a number.
    (timer as { unref?: () => void }).unref?.();
    const stop = (): void => stopTimer(timer);
    delivered.then(stop, stop);
    return delivered;
  }
}
