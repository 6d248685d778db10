/** Counts the calls that have no answer yet, for clients that say when each ends but not when there is room. */
export class Outstanding {
  #most;
  #count = 0;
  #waiters = [];

  /** @param {number} most how many calls may be unanswered before `room()` makes the caller wait */
  constructor(most) {
    this.#most = most;
  }

  begin() {
    this.#count++;
  }

  end = () => {
    this.#count--;
    if (this.#waiters.length === 0) return;
    this.#waiters = this.#waiters.filter(({ below, resolve }) => {
      if (this.#count >= below) return true;
      resolve();
      return false;
    });
  };

  room() {
    return this.#count < this.#most ? undefined : this.below(this.#most / 2);
  }

  none() {
    return this.below(1);
  }

  below(below) {
    if (this.#count < below) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.push({ below, resolve }));
  }
}
