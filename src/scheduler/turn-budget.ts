/**
 * The most attempts that begin in one turn of the event loop. More would only wait for each other, each with a connection, and
 * together with more memory than V8's young generation holds.
 */
const MOST_IN_TURN = 128;

export interface TurnBudgetOptions {
  /** @default 128 */
  readonly mostInTurn?: number | undefined;
  /** Calls back in the next turn of the event loop. @default setImmediate */
  readonly later?: ((act: () => void) => void) | undefined;
}

/**
 * Spreads what begins over turns of the event loop, and lets those with more to begin take turns. It bounds no more than that:
 * who waits for an answer, however long, keeps nothing from the others.
 */
export class TurnBudget {
  readonly #mostInTurn: number;
  readonly #later: (act: () => void) => void;
  readonly #waiting = new Set<() => void>();
  /** The number that may begin now, and the number that may begin in the rest of the turn. */
  #share: number;
  #left: number;
  #turn = 0;
  #isCalledBack = false;

  constructor({ mostInTurn = MOST_IN_TURN, later = setImmediate }: TurnBudgetOptions = {}) {
    this.#mostInTurn = mostInTurn;
    this.#later = later;
    this.#share = this.#left = mostInTurn;
  }

  /** Tells whether one more may begin now. If not, `again` is called once in a later turn. */
  hasRoom(again: () => void): boolean {
    if (this.#share > 0) return true;
    this.#waiting.add(again);
    return false;
  }

  /** Counts one that begins; `end` is given what this returns. */
  begin(): number {
    this.#share--;
    this.#left--;
    this.#callBack();
    return this.#turn;
  }

  /** An attempt that ends in the turn in which it began took no connection, so another may begin in its place. */
  end(turn: number): void {
    if (turn !== this.#turn) return;
    this.#share++;
    this.#left++;
  }

  #callBack(): void {
    if (this.#isCalledBack) return;
    this.#isCalledBack = true;
    this.#later(() => this.#nextTurn());
  }

  /** Gives each of those who wait an equal share, in the order in which they came. */
  #nextTurn(): void {
    this.#isCalledBack = false;
    this.#turn++;
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
