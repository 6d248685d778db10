import { LONGEST_TIMER_MS } from '../clock.js';
import type { Breaker } from '../delivery/breaker.js';
import { Health } from '../delivery/health.js';
import { nextQueueKey } from '../store/event-log.js';
import { Activity } from './activity.js';
import { BacklogShedder } from './backlog-shedder.js';
import type { Endpoint, EndpointOptions, Made } from './endpoint.js';
import type { DueItem, ReadyQueue, Taken } from './ready-queue.js';
import { TurnBudget } from './turn-budget.js';

export interface LocalEndpointOptions extends Omit<EndpointOptions, 'onCounted'> {
  readonly queue: ReadyQueue;
}

/** How long things rest when the store could not be read or written. */
const REST_MS = 5_000;

/** How often it is looked whether the store can be written again. */
const LOOK_MS = 1_000;

/** How often a paused endpoint looks for deliveries whose window has closed. */
const EXPIRE_MS = 60_000;

/** One for all endpoints, as the process has one event loop. */
const turnBudget = new TurnBudget();

/** Hands deliveries out from this process's memory, which holds the next of what the store has waiting. */
export class LocalEndpoint implements Endpoint {
  readonly #options: LocalEndpointOptions;
  readonly #shedder: BacklogShedder;
  readonly #inFlight = new Set<string>();
  /** Ids that came up while an attempt of theirs ran: they are looked at again after that. */
  readonly #held = new Map<string, Taken>();
  #waiting: number;
  readonly #health: Health;
  #isProbing = false;
  #isStopped = false;
  #isPaused = false;
  #isStarted = false;
  /** Whether nothing is begun for a while, since the store failed. */
  #isResting = false;
  #wakeAt = Number.POSITIVE_INFINITY;
  #cancelWake: (() => void) | undefined;
  readonly #activity = new Activity();
  readonly #beginAgain = (): void => this.#pump();

  constructor(options: LocalEndpointOptions) {
    this.#options = options;
    this.#health = new Health(options);
    this.#waiting = options.backlog;
    this.#shedder = new BacklogShedder({
      ...options,
      waiting: () => this.#waiting,
      refill: () => this.#refill(),
      onBegun: (work) => this.#track(work),
      onFailed: (error) => this.#failed(error),
    });
  }

  get url(): string {
    return this.#options.url;
  }

  /** How many deliveries have no end yet, those in flight included. */
  get waiting(): number {
    return this.#waiting;
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  get breaker(): Breaker {
    return this.#health.breaker;
  }

  get isFailing(): boolean {
    return this.#health.isFailing;
  }

  get oldestDue(): number | undefined {
    return this.#options.queue.oldestDue;
  }

  isInFlight(id: string): boolean {
    return this.#inFlight.has(id);
  }

  setPaused(isPaused: boolean): void {
    const hasChanged = isPaused !== this.#isPaused;
    this.#isPaused = isPaused;
    if (hasChanged && this.#isStarted) this.#pump();
  }

  start(): void {
    this.#isStarted = true;
    this.#pump();
    this.#shedder.start();
  }

  /** Takes in a delivery that the store has just been given. */
  accept(item: DueItem): void {
    this.#waiting++;
    this.#options.queue.offerFirst(this.#inFlight.has(item.id) ? unsure(item) : item);
    this.#pump();
    this.#shedder.check();
  }

  /** A delivery that waited here has ended. */
  forget(): void {
    this.#waiting--;
  }

  /** Begins nothing more. */
  stop(): void {
    this.#isStopped = true;
    this.#shedder.stop();
    this.#cancelWake?.();
  }

  /** Resolves once nothing runs. */
  quiet(): Promise<void> {
    return this.#activity.quiet();
  }

  #pump(): void {
    if (this.#isStopped || this.#isResting) return;
    if (!this.#options.canRecord()) this.#restFor(LOOK_MS);
    else this.#begin();
  }

  #begin(): void {
    const now = this.#options.clock.now();
    this.#health.probe();
    for (let room = this.#room(); room > 0 && turnBudget.hasRoom(this.#beginAgain); room--) {
      const taken = this.#options.queue.take(now);
      if (taken === undefined) break;
      if (this.#inFlight.has(taken.item.id)) this.#held.set(taken.item.id, taken);
      else void this.#run(taken);
    }
    this.#refill();
    this.#setWake(now);
  }

  #room(): number {
    if (this.#isPaused) return 0;
    if (this.breaker.phase === 'closed') return this.#options.concurrency - this.#inFlight.size;
    return this.breaker.phase === 'half-open' && !this.#isProbing ? 1 : 0;
  }

  async #run(taken: Taken): Promise<void> {
    const { attempt, onMade } = this.#options;
    const { item } = taken;
    const wasProbe = this.breaker.phase === 'half-open';
    if (wasProbe) this.#isProbing = true;
    this.#inFlight.add(item.id);
    this.#activity.begin();
    const turn = turnBudget.begin();
    const made = await attempt(item).catch((error: unknown) => this.#rest(taken, error));
    turnBudget.end(turn);
    this.#inFlight.delete(item.id);
    this.#letGo(item.id);
    if (wasProbe) this.#isProbing = false;
    if (made !== undefined) {
      this.#putBack(made);
      this.#health.judge(made.attempt, wasProbe);
      onMade(item.id, made);
    }
    this.#pump();
    this.#activity.end();
  }

  #letGo(id: string): void {
    const held = this.#held.get(id);
    if (held === undefined) return;
    this.#held.delete(id);
    held.from.offer(unsure(held.item));
  }

  #putBack({ entry }: Made): void {
    const next = entry && nextQueueKey(entry);
    if (next !== undefined) this.#options.queue.offerRetry(next);
  }

  /** The store failed, and what it has of the item is as before, so the item is taken up again later. */
  #rest({ item, from }: Taken, error: unknown): undefined {
    this.#failed(error);
    this.#options.clock.after(REST_MS, () => {
      from.offer(item);
      this.#pump();
    });
  }

  /** Whatever is sent while nothing can be put on record is sent again, so that little is. */
  #failed(error: unknown): void {
    this.#options.onError(error);
    if (!this.#isResting) this.#restFor(REST_MS);
  }

  #restFor(ms: number): void {
    this.#isResting = true;
    this.#options.clock.after(ms, () => {
      this.#isResting = false;
      this.#pump();
    });
  }

  #refill(): void {
    const refilled = this.#options.queue.refill();
    if (refilled === undefined) return;
    const onward = (): void => {
      this.#pump();
      this.#shedder.check();
    };
    this.#track(refilled.then(onward, (error: unknown) => this.#failed(error)));
  }

  /** What is due and finds no room is taken when there is room again; only what is still to come needs a timer. */
  #setWake(now: number): void {
    const { queue, clock } = this.#options;
    const wakeAt = this.#isPaused
      ? now + EXPIRE_MS
      : this.breaker.phase === 'open'
        ? this.breaker.until
        : queue.nextDue(now);
    if (wakeAt === undefined || wakeAt >= this.#wakeAt) return;
    this.#cancelWake?.();
    this.#wakeAt = wakeAt;
    this.#cancelWake = clock.after(Math.min(wakeAt - now, LONGEST_TIMER_MS), () => {
      this.#wakeAt = Number.POSITIVE_INFINITY;
      if (this.#isPaused || this.breaker.phase === 'open') void this.#expireLate();
      else this.#pump();
    });
  }

  /** A pause makes no delivery live longer than it would have. */
  async #expireLate(): Promise<void> {
    const { queue, clock, expire, onError } = this.#options;
    this.#activity.begin();
    for (let ended = 1; ended > 0; ) {
      ended = 0;
      for (const { item, from } of queue.takeLate(clock.now())) {
        const isOver = await expire(item).catch(onError);
        if (isOver === true) ended++;
        else from.offer(item);
      }
      await queue.refill()?.catch(onError);
    }
    this.#pump();
    this.#activity.end();
  }

  #track(work: Promise<void>): void {
    this.#activity.begin();
    void work.then(() => this.#activity.end());
  }
}

/** Without a body at hand, the store is asked whether the item still waits. */
const unsure = ({ at, id }: DueItem): DueItem => ({ at, id });
