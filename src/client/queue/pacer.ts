import { nextTurn } from '../../base/platform/node.js';

const RESOLVED = Promise.resolve();

export interface PacerOptions {
  /** There is room while fewer bytes wait. */
  readonly roomBelowBytes: number;
  /** After this number of bytes, callers let the event loop go round before they make more. */
  readonly bytesPerTurn: number;
  /** The bytes that wait. */
  waitingBytes(): number;
  /** Says whether more may wait than that, because nothing gets through and a disk has room. */
  mayPileUp(): boolean;
  /** Sends the waiting messages, as a caller waits for room. */
  hurry(): void;
}

/** Slows down callers of `ready()` to what can be sent. */
export class Pacer {
  readonly #options: PacerOptions;
  #waiters: (() => void)[] = [];
  /** The bytes that came since a waiting caller last went on. */
  #bytesThisTurn: number;

  constructor(options: PacerOptions) {
    this.#options = options;
    // These bytes came before anybody asked for room.
    this.#bytesThisTurn = options.waitingBytes();
  }

  noteAdded(bytes: number): void {
    this.#bytesThisTurn += bytes;
  }

  /** There may be more room than before. */
  noteRoom(): void {
    if (this.#waiters.length > 0 && this.#hasRoom) this.#wakeSoon();
  }

  /** True while `ready()` resolves at once. */
  get isReady(): boolean {
    return this.#hasRoom && this.#bytesThisTurn < this.#options.bytesPerTurn;
  }

  /**
   * Resolves when there is room again; at once while there is, but that the event loop goes round after each full request:
   * a caller that waits for nothing else would keep the bodies that are being sent from being written.
   */
  ready(): Promise<void> {
    if (this.isReady) return RESOLVED;
    if (this.#hasRoom) nextTurn(this.#wake);
    else this.#options.hurry();
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  /** True while there is room for more without filling the queue up. */
  get #hasRoom(): boolean {
    const { waitingBytes, roomBelowBytes, mayPileUp } = this.#options;
    return waitingBytes() < roomBelowBytes || mayPileUp();
  }

  /** Wakes callers once the next request has left: they make messages while it travels. */
  #wakeSoon(): void {
    // undici writes to a connection that it has used before in the second turn of the event loop.
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
