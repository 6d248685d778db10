import type { LineOptions } from '../line.js';
import type { StorePart } from './store-part.js';

/** The turn to sweep one line, which one process has at a time. */
export class SweepTurn {
  readonly #options: Pick<LineOptions, 'url' | 'clock'>;
  readonly #part: StorePart;
  #mineUntil = 0;

  constructor(options: Pick<LineOptions, 'url' | 'clock'>, part: StorePart) {
    this.#options = options;
    this.#part = part;
  }

  /** Takes the turn if it is free. */
  async isMine(): Promise<boolean> {
    const { clock, url } = this.#options;
    const { connection, keys } = this.#part;
    const now = clock.now();
    if (now < this.#mineUntil) return true;
    const turnMs = connection.intervals.overseeMs;
    const isMine = await connection.link.ask((redis) => redis.set(keys.turn(url), '1', 'PX', turnMs, 'NX'));
    // The turn ends a little earlier here, because another process may take it as soon as it ends in Redis.
    if (isMine !== null) this.#mineUntil = now + turnMs * 0.9;
    return isMine !== null;
  }
}
