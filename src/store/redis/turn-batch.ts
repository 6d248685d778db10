import { RedisFailedError } from '../store-errors.js';
import { partsByWeight } from './script-bounds.js';

interface AskedRequest<Request, Answer> {
  readonly request: Request;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

export interface TurnBatchOptions<Request> {
  /** The most weight of one batch. A heavier request is sent alone. */
  readonly most: number;
  /** Returns the weight of a request. It is called once, just before the request is sent. @default 1 */
  weightOf?(request: Request): number;
  /** A batch waits at most this long for the answer to the one before it, in ms, so that batches grow larger. @default 0 */
  readonly waitMs?: number;
  /** True if batches of one turn are sent one after another, so that other requests can be sent in between. @default false */
  readonly isInTurn?: boolean;
}

/** Collects the requests of one turn of the event loop, or those made until the previous batch is answered, and sends them together. */
export class TurnBatch<Request, Answer> {
  readonly #options: TurnBatchOptions<Request>;
  readonly #act: (requests: readonly Request[]) => Promise<readonly (Answer | RedisFailedError)[]>;
  #asked: AskedRequest<Request, Answer>[] = [];
  #running = 0;
  #isDue = false;
  #timer: NodeJS.Timeout | undefined;

  /** @param act returns an answer or an error for each request, in the same order */
  constructor(
    options: TurnBatchOptions<Request>,
    act: (requests: readonly Request[]) => Promise<readonly (Answer | RedisFailedError)[]>,
  ) {
    this.#options = options;
    this.#act = act;
  }

  ask(request: Request): Promise<Answer> {
    if (this.#asked.length === 0) this.#askSoon();
    return new Promise((resolve, reject) => this.#asked.push({ request, resolve, reject }));
  }

  /** Sends in the next turn or, while a batch is running, after its answer, but no later than `waitMs`. */
  #askSoon(): void {
    const { waitMs = 0 } = this.#options;
    if (this.#running === 0 || waitMs === 0) this.#askNextTurn();
    else if (waitMs !== Infinity) this.#timer ??= setTimeout(() => this.#askNextTurn(), waitMs);
  }

  #askNextTurn(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      this.#askAll();
    });
  }

  #askAll(): void {
    const asked = this.#asked;
    this.#asked = [];
    const { most, weightOf = () => 1 } = this.#options;
    const weighed = asked.map((each) => ({ each, weight: weightOf(each.request) }));
    const parts = partsByWeight(weighed, most, ({ weight }) => weight);
    const batches = parts.map((part) => part.map(({ each }) => each));
    if (this.#options.isInTurn === true) void this.#askInTurn(batches);
    else for (const batch of batches) void this.#askFor(batch);
  }

  async #askInTurn(batches: readonly (readonly AskedRequest<Request, Answer>[])[]): Promise<void> {
    for (const batch of batches) await this.#askFor(batch);
  }

  async #askFor(asked: readonly AskedRequest<Request, Answer>[]): Promise<void> {
    this.#running++;
    try {
      const answers = await this.#act(asked.map(({ request }) => request));
      for (const [index, { resolve, reject }] of asked.entries()) {
        // `act` returns one for each request.
        const answer = answers[index] as Answer | RedisFailedError;
        if (answer instanceof RedisFailedError) reject(answer);
        else resolve(answer);
      }
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
    this.#running--;
    if (this.#running === 0 && this.#asked.length > 0) this.#askNextTurn();
  }
}
