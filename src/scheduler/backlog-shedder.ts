import type { DueItem, Line, Taken } from '../store/line.js';
import { excessOf } from './backlog-bounds.js';
import type { EndpointOptions } from './endpoint.js';

export interface BacklogShedderOptions extends Pick<EndpointOptions, 'clock' | 'limit'> {
  readonly line: Line;
  /** Ends the item, as too much waits. */
  shed(item: DueItem): Promise<void>;
  /** Reads on in the store. */
  refill(): void;
  /** Given what was begun, which never rejects. */
  onBegun(work: Promise<void>): void;
  onFailed(error: unknown): void;
}

/** How many deliveries are ended at a time where too many wait. */
const SHED_SIZE = 256;

/** How often it is looked how many bytes wait, and for how long, in ms. */
const LOOK_MS = 1_000;

/** Ends the oldest of what waits as long as that is too much. What is in flight is left to end by itself. */
export class BacklogShedder {
  readonly #options: BacklogShedderOptions;
  #isShedding = false;
  /** Whether more has come to wait while the line was being counted, which may have missed that. */
  #isWanted = false;
  #isStopped = false;
  #cancel: () => void = () => {};

  constructor(options: BacklogShedderOptions) {
    this.#options = options;
  }

  start(): void {
    const { limit, clock } = this.#options;
    this.check();
    if (limit.bytes === Number.POSITIVE_INFINITY && limit.ageMs === Number.POSITIVE_INFINITY) return;
    this.#cancel = clock.after(LOOK_MS, () => {
      this.start();
      if (this.#options.line.waiting > 0) this.#begin();
    });
  }

  /** To be called when more waits. */
  check(): void {
    const { line, limit } = this.#options;
    if (line.waiting > limit.events) this.#begin();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  #begin(): void {
    this.#isWanted = true;
    if (this.#isShedding || this.#isStopped) return;
    this.#isShedding = true;
    const shed = this.#shedAll()
      .catch((error: unknown) => this.#options.onFailed(error))
      .then(() => {
        this.#isShedding = false;
      });
    this.#options.onBegun(shed);
  }

  /** What is not read from the store yet is ended once it is. */
  async #shedAll(): Promise<void> {
    while (!this.#isStopped) {
      this.#isWanted = false;
      const oldest = await this.#tooMuch();
      if (oldest.length === 0) {
        if (this.#isWanted) continue;
        return;
      }
      await this.#shedEach(oldest);
      this.#options.refill();
    }
  }

  async #tooMuch(): Promise<readonly Taken[]> {
    const { line, clock, limit } = this.#options;
    const old = await line.takeOlder(clock.now() - limit.ageMs, SHED_SIZE);
    if (old.length > 0) return old;
    const excess = await this.#excess();
    return excess === 0 ? [] : line.takeOldest(Math.min(SHED_SIZE, excess));
  }

  async #excess(): Promise<number> {
    const { limit, line } = this.#options;
    const count = await line.count();
    return count === undefined ? 0 : excessOf(count, limit);
  }

  async #shedEach(oldest: readonly Taken[]): Promise<void> {
    const ends = await Promise.allSettled(oldest.map(({ item }) => this.#options.shed(item)));
    for (const [index, end] of ends.entries()) {
      const taken = oldest[index];
      if (end.status === 'rejected' && taken !== undefined) this.#options.line.putBack(taken);
    }
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }
}
