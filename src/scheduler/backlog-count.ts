/** Estimates how many deliveries wait for one URL: the store's last count, plus and minus what this process has done since. */
export class BacklogCount {
  #waiting: number;
  #oldestDue: number | undefined;
  /** Deliveries accepted while the store is counting. */
  #acceptedMeanwhile = 0;

  /** @param backlog deliveries that waited before this process started */
  constructor(backlog: number) {
    this.#waiting = backlog;
  }

  get waiting(): number {
    return this.#waiting;
  }

  get oldestDue(): number | undefined {
    return this.#oldestDue;
  }

  accept(at: number): void {
    this.#waiting++;
    this.#acceptedMeanwhile++;
    this.#oldestDue = Math.min(at, this.#oldestDue ?? at);
  }

  /**
   * Returns true when the store has to be counted again. Other processes also take deliveries, so only the store can
   * say that the last one is gone.
   */
  forget(): boolean {
    if (this.#waiting <= 1) return true;
    this.#waiting--;
    return false;
  }

  /** Call this before you ask the store for a count. */
  begin(): void {
    this.#acceptedMeanwhile = 0;
  }

  /**
   * The store's count may already contain what was accepted meanwhile. We add it anyway: a count that is too high does
   * less harm than one that is too low.
   */
  end(waiting: number, oldestDue: number | undefined): void {
    this.#waiting = waiting + this.#acceptedMeanwhile;
    this.#oldestDue = oldestDue;
  }
}
