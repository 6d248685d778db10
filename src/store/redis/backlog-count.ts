/** How many deliveries wait for one URL: as the store counted them last, and what this process has done since. */
export class BacklogCount {
  #waiting: number;
  #oldestDue: number | undefined;
  /** How many came in while those in the store are being counted. */
  #acceptedMeanwhile = 0;

  /** @param backlog how many have waited since before this process */
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

  /** Says whether it is to be counted: that the last one is gone is for the store to say, as what others took and what it counted may overlap. */
  forget(): boolean {
    if (this.#waiting <= 1) return true;
    this.#waiting--;
    return false;
  }

  /** The store is being asked. */
  begin(): void {
    this.#acceptedMeanwhile = 0;
  }

  /** What came in meanwhile may be in what the store says or not; rather too many than too few. */
  end(waiting: number, oldestDue: number | undefined): void {
    this.#waiting = waiting + this.#acceptedMeanwhile;
    this.#oldestDue = oldestDue;
  }
}
