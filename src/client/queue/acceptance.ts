/**
 * The evidence of a client that its collector takes messages at all. A message that is refused alone may be bad, or something
 * in front of the collector may refuse every request.
 */
export class Acceptance {
  #taken = 0;
  #refusedInARow = 0;
  #lastTaken: Uint8Array | undefined;

  /** Counts the answers that took a message: a caller that remembers the number learns whether there was one since. */
  get taken(): number {
    return this.#taken;
  }

  /** How many messages were refused alone since the last one was taken. */
  get refusedInARow(): number {
    return this.#refusedInARow;
  }

  /** The message that was taken last, as JSON. */
  get lastTaken(): Uint8Array | undefined {
    return this.#lastTaken;
  }

  /** @param last the last message that was taken; undefined when the collector named each one as refused */
  took(last: Uint8Array | undefined): void {
    this.#taken++;
    this.#refusedInARow = 0;
    this.#lastTaken = last ?? this.#lastTaken;
  }

  refusedAlone(): void {
    this.#refusedInARow++;
  }
}
