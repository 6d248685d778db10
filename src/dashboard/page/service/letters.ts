import { signal } from '@preact/signals';
import type { LetterJob } from '../../../service/api/answers.js';
import { say } from '../ui/toast.js';
import { sayProblem } from './api.js';
import { type BulkJob, endOf } from './bulk-job.js';
import { DeadLetterPages, type LetterFilter, PAGE } from './letter-pages.js';

/** The dead letters that the view shows, what is done with them, and whether they have changed since. */
export class Letters {
  /** Another array for each change of what is shown. */
  readonly shown = signal<{ readonly pages: DeadLetterPages | undefined }>({ pages: undefined });
  /** The numbers on the buttons are those of before. */
  readonly isStale = signal(false);
  readonly hasChanged = signal(false);
  /** The replay or discard that runs. */
  readonly job = signal<LetterJob | undefined>(undefined);
  #filter: LetterFilter | undefined;
  /** The number of dead letters when the list was loaded. */
  #countThen = 0;
  /** The number of loads: an older one that ends late is dropped. */
  #begun = 0;

  get pages(): DeadLetterPages | undefined {
    return this.shown.value.pages;
  }

  /** Loads the list where it is of another filter, or where there are other letters and its reader is at its begin. */
  async refresh(filter: LetterFilter, count: number, signal: AbortSignal): Promise<void> {
    this.#filter = filter;
    if (filter.destination === '') return this.#show(undefined);
    const isOther = !this.#isOfFilter(this.pages);
    const isAtStart = this.pages !== undefined && this.pages.letters.length <= PAGE;
    if (isOther || (count !== this.#countThen && isAtStart)) await this.#begin(signal);
    if (isOther || isAtStart) this.#countThen = count;
    this.hasChanged.value = count !== this.#countThen;
  }

  /** Loads the list again. */
  reload(): void {
    this.isStale.value = true;
    this.#begin().catch(sayProblem);
  }

  async showMore(): Promise<void> {
    try {
      if (await this.pages?.more()) this.#show(this.pages);
    } catch (error) {
      sayProblem(error);
    }
  }

  /** Replays or discards one letter, or all of the filter, and says what came of it. */
  async act(act: BulkJob['act'], id?: string): Promise<void> {
    try {
      const ended = await this.pages?.act(act, id, (job) => {
        this.job.value = job;
      });
      say(endOf(act, ended?.deliveries ?? 0, ended?.status === 'stopped'));
      await this.#begin();
    } catch (error) {
      sayProblem(error);
    }
    this.job.value = undefined;
  }

  /** Stops what runs. */
  stop(): void {
    const id = this.job.value?.id;
    if (id !== undefined) this.pages?.stop(id).catch(sayProblem);
  }

  async #begin(signal?: AbortSignal): Promise<void> {
    if (this.#filter === undefined || this.#filter.destination === '') return;
    const pages = new DeadLetterPages(this.#filter);
    const turn = ++this.#begun;
    await pages.begin(signal);
    // A later choice or action is loading.
    if (turn !== this.#begun || !this.#isOfFilter(pages)) return;
    this.#show(pages);
  }

  #show(pages: DeadLetterPages | undefined): void {
    this.shown.value = { pages };
    this.isStale.value = false;
  }

  #isOfFilter(pages: DeadLetterPages | undefined): boolean {
    return JSON.stringify(pages?.filter) === JSON.stringify(this.#filter);
  }
}
