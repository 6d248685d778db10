import type { ServerResponse } from 'node:http';

/** The answers that are not sent whole yet. */
export class UnderWay {
  readonly #answers = new Set<ServerResponse>();
  #isClosing = false;
  #onIdle: () => void = () => {};

  get size(): number {
    return this.#answers.size;
  }

  enter(outgoing: ServerResponse): void {
    // Whoever mounted us may have taken longer than the client stayed, and nothing more is heard of it.
    if (outgoing.destroyed) return;
    this.#answers.add(outgoing);
    if (this.#isClosing) closeAfter(outgoing);
    outgoing.once('close', () => {
      this.#answers.delete(outgoing);
      if (this.#answers.size === 0) this.#onIdle();
    });
  }

  /** From now on every answer lets its client know that it has to connect anew. */
  closeConnections(): void {
    this.#isClosing = true;
    for (const outgoing of this.#answers) closeAfter(outgoing);
  }

  /** Resolves when all are sent, or after so many ms. */
  async idle(patienceMs?: number): Promise<void> {
    if (this.#answers.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = patienceMs === undefined ? undefined : setTimeout(resolve, patienceMs);
      this.#onIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function closeAfter(outgoing: ServerResponse): void {
  if (!outgoing.headersSent) outgoing.setHeader('Connection', 'close');
}
