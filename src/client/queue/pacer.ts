import { nextTurn } from '../../base/platform/node.js';

const RESOLVED = Promise.resolve();

export interface PacerOptions {
  /** There is room while fewer bytes than this wait. */
  readonly roomBelowBytes: number;
  /** After this number of bytes, callers wait for the next turn of the event loop. */
  readonly bytesPerTurn: number;
  /** Returns the number of bytes that wait. */
  waitingBytes(): number;
  /** Returns true if more than that may wait, because requests fail and a disk has room. */
  mayPileUp(): boolean;
  /** Sends the waiting messages, because a caller waits for room. */
  hurry(): void;
}

/** Slows callers of `ready()` down to the speed at which messages can be sent. */
export class Pacer {
  readonly #options: PacerOptions;
  #waiters: (() => void)[] = [];
  /** The bytes that were added since a waiting caller last continued. */
  #bytesThisTurn: number;

  constructor(options: PacerOptions) {
    this.#options = options;
    // These bytes were added before anybody asked for room.
    this.#bytesThisTurn = options.waitingBytes();
  }

  noteAdded(bytes: number): void {
    this.#bytesThisTurn += bytes;
  }

  /** Called when there may be more room than before. */
  noteRoom(): void {
    if (this.#waiters.length > 0 && this.#hasRoom) this.#wakeSoon();
  }

  /** True while `ready()` resolves at once. */
  get isReady(): boolean {
    return this.#hasRoom && this.#bytesThisTurn < this.#options.bytesPerTurn;
  }

  /**
   * Resolves when there is room, at once if there is. After each full request it first waits for a turn of the event loop:
   * otherwise a caller that waits for nothing else would delay the bodies that are being sent.
   */
  ready(): Promise<void> {
    if (this.isReady) return RESOLVED;
    if (this.#hasRoom) nextTurn(this.#wake);
    else this.#options.hurry();
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  /** True while more messages do not fill the queue. */
  get #hasRoom(): boolean {
    const { waitingBytes, roomBelowBytes, mayPileUp } = this.#options;
    return waitingBytes() < roomBelowBytes || mayPileUp();
  }

  /** Wakes callers once the next request has left, so that they make messages while it is under way. */
  #wakeSoon(): void {
    // undici writes to a reused connection in the second turn of the event loop.
    nextTurn(() => nextTurn(this.#wake));
  }

  readonly #wake = (): void => {
    if (!this.#hasRoom) {
      this.#options.hurry();
      return;
    }
    this.#bytesThisTurn = 0;
    for (const resolve of this.#waiters.splice(0)) resolve();
  };
}
