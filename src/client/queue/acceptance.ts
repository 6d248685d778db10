/**
 * The evidence of a client that its collector takes messages at all. A message that is refused alone may be bad, or something
 * in front of the collector may refuse every request.
 */
export class Acceptance {
  /** Counts the answers that took a message: a caller that remembers the number learns whether there was one since. */
  taken = 0;
  /** How many messages were refused alone since the last one was taken. */
  refusedInARow = 0;
  /** The message that was taken last, as JSON. */
  lastTaken: Uint8Array | undefined;

  /** @param last the last message that was taken; undefined when the collector named each one as refused */
  took(last: Uint8Array | undefined): void {
    this.taken++;
    this.refusedInARow = 0;
    this.lastTaken = last ?? this.lastTaken;
  }

  refusedAlone(): void {
    this.refusedInARow++;
  }
}
