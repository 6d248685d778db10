import { AbortedError } from '../../base/errors/errors.js';
import { MAX_OUTLIVING_BYTES } from '../../base/options/limits.js';
import type { EndingOptions } from './ending.js';
import type { Occupied } from './page-end.js';

/** The acts of one client at the end of its page. */
export class PageEnding implements Occupied {
  readonly #options: EndingOptions;

  constructor(options: EndingOptions) {
    this.#options = options;
  }

  /** The page ends, or may: sends what outlives it. */
  leave(bytes: number, isEnd: boolean): void {
    const { batcher, sender } = this.#options;
    sender.hurry();
    batcher.sendAtOnce(bytes);
    if (!isEnd) return;
    // After a failed request another one probes the way, and the rest waits for that.
    const isPaused = sender.lastFailure !== undefined;
    batcher.abandonAllBut(isPaused ? 0 : MAX_OUTLIVING_BYTES, this.#because('it still waited when the page ended'));
  }

  /** Ends everything now: undelivered messages are lost for the reason `why`. */
  cut(why: string): void {
    const error = this.#because(why);
    this.#options.batcher.close(error, why);
    this.#options.sender.cut(error);
  }

  #because(why: string): AbortedError {
    return new AbortedError(why, this.#options.sender.lastFailure);
  }
}
