/** Closes what was opened one after another: the last first, and all of it, even where closing fails. */
export class Cleanup {
  readonly #closes: (() => unknown)[] = [];

  /** Makes `close()` call this, before what was deferred earlier. */
  defer(close: () => unknown): void {
    this.#closes.push(close);
  }

  /** Closes everything. A second call closes only what was deferred since. @throws the first failure, once all the rest is closed */
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

/** Opens parts one after another. If that fails, closes those that were deferred until then. @throws what `open` throws */
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
