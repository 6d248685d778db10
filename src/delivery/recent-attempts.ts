/** How many attempts are looked back on. */
const WINDOW = 10;

/** Fewer failures say nothing: one alone may be all there was. */
const LEAST = 3;

/** Once failing, it stays so until fewer than this share failed, so that an endpoint that fails half the time is one thing. */
const SHARE_TO_RECOVER = 0.3;

/** Whether the last attempts at an endpoint failed, whatever the reason: a 404 as well as a timeout. */
export class RecentAttempts {
  readonly #failures: boolean[] = [];
  #failed = 0;
  #isFailing = false;

  /** Whether most of them failed. */
  get isFailing(): boolean {
    return this.#isFailing;
  }

  get failed(): number {
    return this.#failed;
  }

  get count(): number {
    return this.#failures.length;
  }

  /** Returns whether that begins or ends a time of failing. */
  add(hasFailed: boolean): boolean {
    this.#failures.push(hasFailed);
    if (hasFailed) this.#failed++;
    if (this.#failures.length > WINDOW && this.#failures.shift()) this.#failed--;
    const wasFailing = this.#isFailing;
    const { count, failed } = this;
    this.#isFailing = wasFailing ? failed > count * SHARE_TO_RECOVER : failed >= LEAST && failed > count / 2;
    return this.#isFailing !== wasFailing;
  }
}
