/** The page of a browser that the client runs in, and its end. */
import { MAX_OUTLIVING_BYTES } from '../../base/options/limits.js';

/** The default of `maxBatchBytes` on a page: a request of this size can outlive it. */
export const PAGE_BATCH_BYTES = 60_000;

/** The part of a client with messages that acts when its page is about to end. */
export interface Occupied {
  /**
   * The page may end at any moment.
   *
   * @param bytes how much may be sent that outlives it
   * @param isEnd whether it does: what cannot be sent is lost
   */
  leave(bytes: number, isEnd: boolean): void;
}

interface Surroundings {
  readonly document?: { readonly visibilityState: string } & Pick<EventTarget, 'addEventListener'>;
  addEventListener: EventTarget['addEventListener'];
}

const surroundings = globalThis as unknown as Surroundings;

/** True on a page. There is none in Workers, Deno and Bun. */
export const isOnPage = typeof surroundings.document === 'object';

const occupied = new Set<Occupied>();
let isWatching = false;
let outlivingBytes = 0;
let hasEnded = false;

const isHidden = (): boolean => surroundings.document?.visibilityState === 'hidden';

export function watchProcessEnd(): void {
  if (isWatching || !isOnPage) return;
  isWatching = true;
  // A phone ends hidden pages without another word.
  surroundings.document?.addEventListener('visibilitychange', () => isHidden() && leave(false));
  // A page that is `persisted` may come back, with all that waits.
  surroundings.addEventListener('pagehide', (event) => leave(!(event as unknown as { persisted: boolean }).persisted));
}

export function occupy(client: Occupied): void {
  occupied.add(client);
}

export function vacate(client: Occupied): void {
  occupied.delete(client);
}

/** There is no moment after a page's end. */
export const abandonIfEnded = (): void => {};

/** Tells whether the page is gone for good, so that this is its last turn. */
export const hasPageEnded = (): boolean => hasEnded;

function leave(isEnd: boolean): void {
  hasEnded ||= isEnd;
  // Each leaves less for the next: its requests begin when this has returned.
  const share = (MAX_OUTLIVING_BYTES - outlivingBytes) / occupied.size;
  for (const each of [...occupied]) each.leave(share, isEnd);
}

/**
 * Takes room for a request that is to outlive the page. Returns what gives it back; undefined when there is no room.
 *
 * @param isRepetition it may have failed for the room that other scripts of the page have taken
 */
export function outlivePage(bytes: number, isRepetition: boolean): (() => void) | undefined {
  if (!isOnPage || outlivingBytes + bytes > MAX_OUTLIVING_BYTES || (isRepetition && !isHidden())) return undefined;
  outlivingBytes += bytes;
  return () => {
    outlivingBytes -= bytes;
  };
}
