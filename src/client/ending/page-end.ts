/** The browser page in which the client runs, and the end of that page. */
import { AbortedError } from '../../base/errors/errors.js';
import { MAX_OUTLIVING_BYTES } from '../../base/options/limits.js';
import type { EndingOptions } from './ending.js';

/** The default of `maxBatchBytes` on a page: a request of this size can outlive the page. */
export const PAGE_BATCH_BYTES = 60_000;

interface Surroundings {
  readonly document?: { readonly visibilityState: string } & Pick<EventTarget, 'addEventListener'>;
  addEventListener: EventTarget['addEventListener'];
}

const surroundings = globalThis as unknown as Surroundings;

/** True on a page. Workers, Deno and Bun have none. */
export const isOnPage = typeof surroundings.document === 'object';

type Occupied = Pick<PageEnding, 'leave'>;

/** The clients with messages. */
const occupied = new Set<Occupied>();
let isWatching = false;
let outlivingBytes = 0;
let hasEnded = false;

const isHidden = (): boolean => surroundings.document?.visibilityState === 'hidden';

export function watchProcessEnd(): void {
  if (isWatching || !isOnPage) return;
  isWatching = true;
  // A phone ends hidden pages without a further event.
  surroundings.document?.addEventListener('visibilitychange', () => isHidden() && leave(false));
  // A page that is `persisted` may return, with all its waiting messages.
  surroundings.addEventListener('pagehide', (event) => leave(!(event as unknown as { persisted: boolean }).persisted));
}

export function occupy(client: Occupied): void {
  occupied.add(client);
}

export function vacate(client: Occupied): void {
  occupied.delete(client);
}

/** Does nothing, because no code runs after the end of a page. */
export const abandonIfEnded = (): void => {};

/** Returns true if the page is gone for good, so that this is its last turn. */
export const hasPageEnded = (): boolean => hasEnded;

function leave(isEnd: boolean): void {
  hasEnded ||= isEnd;
  // Each client leaves less for the next, because its requests begin before this returns.
  const share = (MAX_OUTLIVING_BYTES - outlivingBytes) / occupied.size;
  for (const each of [...occupied]) each.leave(share, isEnd);
}

/**
 * Reserves bytes for a request that should outlive the page. Returns a function that releases them; undefined if there is no
 * room.
 *
 * @param isRepetition true for a retry, because the first attempt may have failed for lack of the room that other scripts of the
 * page have taken
 */
export function outlivePage(bytes: number, isRepetition: boolean): (() => void) | undefined {
  if (!isOnPage || outlivingBytes + bytes > MAX_OUTLIVING_BYTES || (isRepetition && !isHidden())) return undefined;
  outlivingBytes += bytes;
  return () => {
    outlivingBytes -= bytes;
  };
}

/** What one client does when its page ends. */
export class PageEnding {
  readonly #options: EndingOptions;

  constructor(options: EndingOptions) {
    this.#options = options;
  }

  /**
   * Called when the page may end at any moment: sends what can outlive it.
   *
   * @param bytes how many bytes may be sent in requests that outlive the page
   * @param isEnd true if the page ends now: messages that cannot be sent are lost
   */
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
