/**
 * The most attempts that begin in one turn of the event loop. More would only wait for each other, each with its own connection,
 * and together need more memory than V8's young generation has.
 */
const MOST_IN_TURN = 128;

/**
 * Spreads starting attempts over turns of the event loop and shares each turn among the endpoints. It limits only the start: an
 * attempt that waits for its response, however long, takes nothing from the others.
 */
export class TurnBudget {
  readonly #mostInTurn: number;
  readonly #later: (act: () => void) => void;
  readonly #waiting = new Set<() => void>();
  /** How many attempts may begin now, and how many in the rest of the turn. */
  #share: number;
  #left: number;
  #isCalledBack = false;

  /** @param later calls back in the next turn of the event loop */
  constructor(mostInTurn = MOST_IN_TURN, later: (act: () => void) => void = setImmediate) {
    this.#mostInTurn = mostInTurn;
    this.#later = later;
    this.#share = this.#left = mostInTurn;
  }

  /** Returns true if one more attempt may begin now. If not, `again` is called once in a later turn. */
  hasRoom(again: () => void): boolean {
    if (this.#share > 0) return true;
    this.#waiting.add(again);
    return false;
  }

  /** Counts an attempt that begins. */
  begin(): void {
    this.#share--;
    this.#left--;
    this.#callBack();
  }

  #callBack(): void {
    if (this.#isCalledBack) return;
    this.#isCalledBack = true;
    this.#later(() => this.#nextTurn());
  }

  /** Gives each waiting caller an equal share, first come first served. */
  #nextTurn(): void {
    this.#isCalledBack = false;
    this.#left = this.#mostInTurn;
    const waiting = [...this.#waiting].slice(0, this.#mostInTurn);
    for (const [index, again] of waiting.entries()) {
      this.#waiting.delete(again);
      this.#share = Math.ceil(this.#left / (waiting.length - index));
      again();
    }
    this.#share = this.#left;
    if (this.#waiting.size > 0) this.#callBack();
  }
}
