import { CLAIM_MS } from './message-id-store.js';

/** Which ids are being stored, in the memory of the one process that stores them. */
export class Claims {
  /** When each ends by itself, in the order in which they were taken, which is nearly that of the times. */
  readonly #until = new Map<string, number>();

  /** Says whether it was free. */
  take(key: string, nowMs: number): boolean {
    dropPast(this.#until, nowMs);
    if ((this.#until.get(key) ?? 0) > nowMs) return false;
    this.#until.delete(key);
    this.#until.set(key, nowMs + CLAIM_MS);
    return true;
  }

  end(key: string): void {
    this.#until.delete(key);
  }
}

/** Removes those whose time is over from the front of a map that is more or less in the order of its times. */
export function dropPast(until: Map<string, number>, nowMs: number): void {
  for (const [key, each] of until) {
    if (each > nowMs) return;
    until.delete(key);
  }
}
