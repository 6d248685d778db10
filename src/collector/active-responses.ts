import type { ServerResponse } from 'node:http';

/** The answers that are not sent whole yet. */
export class ActiveResponses {
  readonly #answers = new Set<ServerResponse>();
  #isClosing = false;
  /** Callers that wait until there are none. */
  #onIdle: (() => void)[] = [];

  get size(): number {
    return this.#answers.size;
  }

  enter(outgoing: ServerResponse): void {
    // The app that mounted us may have taken longer than the client stayed; then no event follows.
    if (outgoing.destroyed) return;
    this.#answers.add(outgoing);
    if (this.#isClosing) closeAfter(outgoing);
    outgoing.once('close', () => {
      this.#answers.delete(outgoing);
      if (this.#answers.size === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
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
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#onIdle.push(resolve);
      if (patienceMs !== undefined) timer = setTimeout(resolve, patienceMs);
    });
    clearTimeout(timer);
  }
}

function closeAfter(outgoing: ServerResponse): void {
  if (!outgoing.headersSent) outgoing.setHeader('Connection', 'close');
}
