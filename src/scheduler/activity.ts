/** Counts what an endpoint has running, for callers that wait until nothing runs. */
export class Activity {
  #running = 0;
  #onQuiet: (() => void)[] = [];

  begin(): void {
    this.#running++;
  }

  end(): void {
    this.#running--;
    if (this.#running > 0) return;
    for (const resolve of this.#onQuiet.splice(0)) resolve();
  }

  async quiet(): Promise<void> {
    if (this.#running > 0) await new Promise<void>((resolve) => this.#onQuiet.push(resolve));
  }
}
