import type {
  DeadLetter,
  DeadLetterCount,
  DeadLetterPage,
  DeadLetterWithBody,
  LetterChange,
  LetterJob,
} from '../../../service/api/answers.js';
import { ApiError, get, pathOf, send, setOf, withQuery } from './api.js';

export const PAGE = 50;

/** How often the page asks for the progress of a replay or discard, in ms. */
const LOOK_MS = 1_000;

/** Which dead letters of a destination are meant. An empty text is all. */
export interface LetterFilter {
  readonly destination: string;
  readonly endpoint: string;
  readonly type: string;
  readonly reason: string;
  /** Accepted in this time: ISO 8601. */
  readonly from: string;
  readonly to: string;
}

/** The dead letters of a filter, page by page. */
export class DeadLetterPages {
  readonly filter: LetterFilter;
  letters: readonly DeadLetter[] = [];
  /** How many deliveries the filter means; undefined while it is not known. */
  count: DeadLetterCount | undefined;
  #next: string | undefined;
  #isAsking = false;

  constructor(filter: LetterFilter) {
    this.filter = filter;
  }

  get hasMore(): boolean {
    return this.#next !== undefined;
  }

  /** The first page, and how many there are. */
  async begin(signal?: AbortSignal): Promise<void> {
    const path = withQuery(`${this.#path}/count`, this.#fields);
    const [page, count] = await Promise.all([this.#ask(undefined, signal), get<DeadLetterCount>(path, signal)]);
    this.#take(page);
    this.count = count;
    // The service may return a page without a match, after it has read for long.
    while (this.letters.length === 0 && this.#next !== undefined) this.#take(await this.#ask(this.#next, signal));
  }

  /** One page more; says whether there was one. */
  async more(): Promise<boolean> {
    if (this.#next === undefined || this.#isAsking) return false;
    this.#isAsking = true;
    try {
      this.#take(await this.#ask(this.#next));
      return true;
    } finally {
      this.#isAsking = false;
    }
  }

  /** Replays or discards one letter, or all of the filter. Returns how it ended. */
  async act(what: 'replay' | 'discard', id: string | undefined, tell: (job: LetterJob) => void): Promise<LetterChange> {
    const { endpoint } = this.filter;
    const fields = id === undefined ? setOf(this.#fields) : { id, ...(endpoint && { endpoint }) };
    const body = Object.keys(fields).length === 0 ? { all: true } : fields;
    let job = await send<LetterChange>('POST', pathOf('destinations', this.filter.destination, what), body);
    while (job.status === 'running' && job.id !== undefined) {
      tell(job);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      job = await get<LetterJob>(pathOf('destinations', this.filter.destination, 'jobs', job.id));
    }
    if (job.status === 'failed') throw new ApiError(0, job.error ?? 'It failed');
    return job;
  }

  /** Stops a job; what is done stays done. */
  stop(id: string): Promise<LetterJob> {
    return send('DELETE', pathOf('destinations', this.filter.destination, 'jobs', id));
  }

  /** One of them with its message. */
  read(id: string): Promise<DeadLetterWithBody> {
    return get(pathOf('destinations', this.filter.destination, 'dead-letters', id));
  }

  get #path(): string {
    return pathOf('destinations', this.filter.destination, 'dead-letters');
  }

  get #fields(): Omit<LetterFilter, 'destination'> {
    const { destination, ...fields } = this.filter;
    return fields;
  }

  #ask(after: string | undefined, signal?: AbortSignal): Promise<DeadLetterPage> {
    return get(withQuery(this.#path, { after, limit: String(PAGE), ...this.#fields }), signal);
  }

  #take({ letters, next }: DeadLetterPage): void {
    this.letters = [...this.letters, ...letters];
    this.#next = next ?? undefined;
  }
}
