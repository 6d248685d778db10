interface Asked<Request, Answer> {
  readonly request: Request;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/** Collects what is asked for in one turn of the event loop, and asks for it together. */
export class TurnBatch<Request, Answer> {
  readonly #most: number;
  readonly #act: (requests: readonly Request[]) => Promise<readonly Answer[]>;
  #asked: Asked<Request, Answer>[] = [];

  /**
   * @param most how many are asked for at once
   * @param act gives an answer for each request, in their order
   */
  constructor(most: number, act: (requests: readonly Request[]) => Promise<readonly Answer[]>) {
    this.#most = most;
    this.#act = act;
  }

  ask(request: Request): Promise<Answer> {
    if (this.#asked.length === 0) setImmediate(() => this.#askAll());
    return new Promise((resolve, reject) => this.#asked.push({ request, resolve, reject }));
  }

  #askAll(): void {
    const asked = this.#asked;
    this.#asked = [];
    for (let from = 0; from < asked.length; from += this.#most) void this.#askFor(asked.slice(from, from + this.#most));
  }

  async #askFor(asked: readonly Asked<Request, Answer>[]): Promise<void> {
    try {
      const answers = await this.#act(asked.map(({ request }) => request));
      // There is an answer for each.
      for (const [index, { resolve }] of asked.entries()) resolve(answers[index] as Answer);
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  }
}
