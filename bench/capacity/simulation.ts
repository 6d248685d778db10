// A clock that goes from one happening to the next, and servers that take time. Times are in µs.
import { Fifo } from '../../src/base/structures/fifo.js';

/** Numbers from 0 up to, but not, 1: the same for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** How long until the next of something that comes at random, so often a µs. */
export const exponential = (random: () => number, mean: number): number => -Math.log(1 - random()) * mean;

interface Happening {
  readonly time: number;
  act(): void;
}

export class Simulation {
  now = 0;
  /** A heap: each before its two children. */
  readonly #ahead: Happening[] = [];

  after(delay: number, act: () => void): void {
    const ahead = this.#ahead;
    const added = { time: this.now + delay, act };
    let index = ahead.push(added) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = ahead[parent];
      if (above === undefined || above.time <= added.time) break;
      ahead[index] = above;
      index = parent;
    }
    ahead[index] = added;
  }

  /** Until the time has come, or nothing is to happen any more. */
  run(until: number): void {
    for (let next = this.#ahead[0]; next !== undefined && next.time <= until; next = this.#ahead[0]) {
      this.#shift();
      this.now = next.time;
      next.act();
    }
    this.now = until;
  }

  #shift(): void {
    const ahead = this.#ahead;
    const last = ahead.pop();
    if (last === undefined || ahead.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      const [left, right] = [ahead[child], ahead[child + 1]];
      if (left !== undefined && right !== undefined && right.time < left.time) child++;
      const least = ahead[child];
      if (least === undefined || least.time >= last.time) break;
      ahead[index] = least;
      index = child;
    }
    ahead[index] = last;
  }
}

interface Work {
  readonly microseconds: number;
  done(): void;
}

/** The most work of one turn, in µs: a socket is read, and a script runs, a bounded time. */
const LONGEST_TURN = 10_000;

/** One thread. It takes what has come in turns, as an event loop does, and what it did is seen at the end of the turn. */
export class Server {
  /** For how long it has worked. */
  busy = 0;
  readonly #simulation: Simulation;
  /** How long a turn waits, for a disk, beside its work. */
  readonly #waits: number;
  readonly #waiting = new Fifo<Work>();
  #isBusy = false;

  constructor(simulation: Simulation, waits = 0) {
    this.#simulation = simulation;
    this.#waits = waits;
  }

  give(microseconds: number, done: () => void): void {
    this.#waiting.push({ microseconds, done });
    // What comes at the same moment shares a turn.
    if (!this.#isBusy) this.#begin();
  }

  #begin(): void {
    this.#isBusy = true;
    this.#simulation.after(0, () => this.#turn());
  }

  #turn(): void {
    const taken: Work[] = [];
    let sum = 0;
    while (sum < LONGEST_TURN) {
      const work = this.#waiting.shift();
      if (work === undefined) break;
      taken.push(work);
      sum += work.microseconds;
    }
    this.#simulation.after(sum + this.#waits, () => {
      this.busy += sum;
      this.#isBusy = false;
      for (const { done } of taken) done();
      if (this.#waiting.first !== undefined && !this.#isBusy) this.#begin();
    });
  }
}
