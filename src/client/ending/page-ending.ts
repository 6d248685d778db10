import { AbortedError } from '../../base/errors/errors.js';
import { MAX_OUTLIVING_BYTES } from '../../base/options/limits.js';
import type { EndingOptions } from './ending.js';
import type { Occupied } from './page-end.js';

/** What one client does when its page ends. */
export class PageEnding implements Occupied {
  readonly #options: EndingOptions;

  constructor(options: EndingOptions) {
    this.#options = options;
  }

  /** Called when the page ends, or may end: sends what can outlive it. */
  leave(bytes: number, isEnd: boolean): void {
    const { batcher, sender } = this.#options;
    sender.hurry();
    batcher.sendAtOnce(bytes);
    if (!isEnd) return;
    // After a failed request, the next one tests the connection, and all others wait for it.
    const mostBytes = sender.lastFailure === undefined ? MAX_OUTLIVING_BYTES : 0;
    batcher.abandonAllBut(mostBytes, new AbortedError('it still waited when the page ended', sender.lastFailure));
  }
}
