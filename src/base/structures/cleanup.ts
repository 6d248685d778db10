/** Closes parts in the reverse order of their opening. A failure to close one does not stop the others from being closed. */
export class Cleanup {
  readonly #closes: (() => unknown)[] = [];

  /** Registers a function that `close()` calls, before those that were deferred earlier. */
  defer(close: () => unknown): void {
    this.#closes.push(close);
  }

  /** Closes everything; called again, what was deferred since. @throws the first failure, after closing the rest */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (let close = this.#closes.pop(); close !== undefined; close = this.#closes.pop()) {
      try {
        await close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}

/** Opens parts one after another. If opening fails, closes those that were deferred so far. @throws what `open` throws */
export async function withCleanup<T>(open: (cleanup: Cleanup) => Promise<T>): Promise<T> {
  const cleanup = new Cleanup();
  try {
    return await open(cleanup);
  } catch (error) {
    // A failure to close would only hide why the opening failed.
    await cleanup.close().catch(() => {});
    throw error;
  }
}
