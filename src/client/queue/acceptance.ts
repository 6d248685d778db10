/**
 * What a client knows of whether its collector takes anything at all. A message that is refused alone may be bad; it may also
 * be that something before the collector refuses whatever comes.
 */
export class Acceptance {
  #taken = 0;
  #refusedInARow = 0;
  #lastTaken: Uint8Array | undefined;

  /** Counts the answers that took a message: who remembers it learns whether there was one since. */
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
