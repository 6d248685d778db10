import { LONGEST_TIMER_MS } from '../base/time/clock.js';
import { Health } from '../delivery/health.js';
import { nextQueueKey } from '../store/event-log.js';
import type { EventKey, QueueKey } from '../store/event-store.js';
import { type DueItem, hasLines, type TakenDelivery } from '../store/line.js';
import { textOfKey } from '../store/queue-key.js';
import type { EndpointOptions } from './endpoint-options.js';
import type { Queue, QueueOptions } from './queue.js';
import { ReadyQueue } from './ready-queue.js';
import { SharedQueue } from './shared-queue.js';
import { Sweeper } from './sweeper.js';
import { TurnBudget } from './turn-budget.js';

/** How long nothing begins after the store could not be read or written, in milliseconds. */
const REST_MS = 5_000;

/** How often the endpoint checks whether the store can be written again, in milliseconds. */
const LOOK_MS = 1_000;

/** How often expired deliveries are looked for while no attempt may start, in milliseconds. */
const EXPIRE_MS = 15_000;

/** All endpoints share one budget, because the process has one event loop. */
const turnBudget = new TurnBudget();

/**
 * Starts the waiting deliveries to one URL: as many as the limit allows, and none while the endpoint is paused or its breaker is
 * open. Endpoints share nothing: each has its own queue, limit and breaker.
 */
export class LineEndpoint {
  readonly health: Health;
  readonly #options: EndpointOptions;
  readonly #queue: Queue;
  readonly #sweeper: Sweeper;
  /** The running attempts. One whose event became due again meanwhile has that delivery, which is checked again when it ends. */
  readonly #inFlight = new Map<string, TakenDelivery | undefined>();
  #isProbing = false;
  #isStopped = false;
  #isPaused = false;
  #isStarted = false;
  /** True while nothing begins because the store failed. */
  #isResting = false;
  /** The time since which a due delivery could begin here; undefined while none can. */
  #roomSince: number | undefined;
  #wakeAt = Number.POSITIVE_INFINITY;
  #cancelWake: (() => void) | undefined;
  /** All running work, such as attempts and reads. None of it rejects. */
  readonly #running = new Set<Promise<void>>();
  readonly #beginAgain = (): void => this.#pump();

  constructor(options: EndpointOptions) {
    this.#options = options;
    const { deliveries, store } = options;
    this.health = new Health({ ...options, listener: deliveries });
    const queueOptions: QueueOptions = {
      ...options,
      room: () => (store.canRecord() ? this.#room() : 0),
      ahead: () => (this.#mayBegin && this.health.breaker.phase === 'closed' ? options.concurrency : 0),
      onNews: () => this.#pump(),
      onCounted: () => {
        deliveries.counted();
        this.#keepLimit();
      },
      onError: (error) => deliveries.failed(error),
    };
    this.#queue = hasLines(store) ? new SharedQueue({ ...queueOptions, store }) : new ReadyQueue(queueOptions);
    this.#sweeper = new Sweeper({
      ...options,
      queue: this.#queue,
      endpoint: this,
      onBegun: (work) => this.#track(work),
      onFailed: (error) => this.#failed(error),
    });
  }

  /** The number of deliveries that have not ended, including those in flight. */
  get waiting(): number {
    return Math.max(this.#queue.waiting, this.#inFlight.size);
  }

  /** The number of running requests. */
  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** The time at which the earliest waiting delivery was or is due, in ms since 1970. */
  get oldestDue(): number | undefined {
    return this.#queue.oldestDue;
  }

  /** How long the earliest delivery has been due, in ms, while this process had room for it but did not begin it. */
  get dueUnclaimedMs(): number {
    const due = this.#queue.oldestDue;
    if (due === undefined || this.#roomSince === undefined) return 0;
    return Math.max(0, this.#options.clock.now() - Math.max(due, this.#roomSince));
  }

  isInFlight(key: EventKey): boolean {
    return this.#inFlight.has(textOfKey(key));
  }

  /**
   * A paused endpoint begins no request. Waiting deliveries stay, new ones are accepted, and their windows keep running. May be
   * called before `start`.
   */
  setPaused(isPaused: boolean): void {
    const hasChanged = isPaused !== this.#isPaused;
    this.#isPaused = isPaused;
    if (hasChanged && this.#isStarted) this.#pump();
  }

  start(): void {
    this.#isStarted = true;
    this.#pump();
    this.#keepLimit();
    this.#sweeper.start();
  }

  /** Tells the endpoint that an ordered event has entered the line. */
  ready(item: DueItem): void {
    this.#queue.ready(this.isInFlight(item) ? unsure(item) : item);
    this.#pump();
  }

  /** Adds a delivery that the store has just accepted. One of an ordered event is only counted until `ready` is called. */
  accept(item: DueItem, isOrdered: boolean): void {
    this.#queue.accept(this.isInFlight(item) ? unsure(item) : item, isOrdered);
    this.#pump();
    this.#keepLimit();
  }

  /** Tells the endpoint that a waiting delivery has ended. If `item` is given, no request begins for it. */
  forget(item?: QueueKey): void {
    this.#queue.forget(item);
  }

  /** Stops beginning deliveries. Running requests continue. */
  stop(): void {
    this.#isStopped = true;
    this.#sweeper.stop();
    this.#cancelWake?.();
    this.#queue.stop();
  }

  /** Resolves when no request is running. */
  async quiet(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
    await this.#queue.quiet();
  }

  get #mayBegin(): boolean {
    return this.#isStarted && !this.#isStopped && !this.#isResting && !this.#isPaused;
  }

  #keepLimit(): void {
    if (this.#queue.waiting > this.#options.limit.events) this.#sweeper.shed();
  }

  #pump(): void {
    this.#tryToBegin();
    this.#noteRoom();
  }

  #noteRoom(): void {
    if (this.#room() <= 0) this.#roomSince = undefined;
    else this.#roomSince ??= this.#options.clock.now();
  }

  #tryToBegin(): void {
    if (!this.#isStarted || this.#isStopped || this.#isResting) return;
    if (!this.#options.store.canRecord()) this.#restFor(LOOK_MS);
    else this.#begin();
  }

  #begin(): void {
    const now = this.#options.clock.now();
    this.health.probe(now);
    for (let room = this.#room(); room > 0 && turnBudget.hasRoom(this.#beginAgain); room--) {
      const taken = this.#queue.take(now);
      if (taken === undefined) break;
      const name = textOfKey(taken.item);
      if (this.#inFlight.has(name)) this.#inFlight.set(name, taken);
      else this.#track(this.#run(taken, name));
    }
    this.#fill();
    this.#setWake(now);
  }

  #room(): number {
    if (!this.#mayBegin) return 0;
    const { phase } = this.health.breaker;
    if (phase === 'closed') return this.#options.concurrency - this.#inFlight.size;
    return phase === 'half-open' && !this.#isProbing ? 1 : 0;
  }

  async #run(taken: TakenDelivery, name: string): Promise<void> {
    const { deliveries } = this.#options;
    const { item } = taken;
    const wasProbe = this.health.breaker.phase === 'half-open';
    if (wasProbe) this.#isProbing = true;
    this.#inFlight.set(name, undefined);
    turnBudget.begin();
    const made = await deliveries.attempt(item).catch((error: unknown) => this.#rest(taken, error));
    const again = this.#inFlight.get(name);
    this.#inFlight.delete(name);
    if (again !== undefined) this.#queue.putBack({ ...again, item: unsure(again.item) });
    if (wasProbe) this.#isProbing = false;
    if (made === undefined) this.#giveUp(taken);
    else if (made !== 'failed') {
      this.#queue.settle(taken, made.entry && nextQueueKey(made.entry));
      this.health.judge(made.attempt, wasProbe);
      deliveries.made(item.id, made);
    }
    // The delivery may have ended while it was in flight, and counted as waiting until now.
    deliveries.counted();
    this.#pump();
  }

  /** There was nothing to send, or the outcome is unknown, so that another process should take the delivery when this one ends. */
  #giveUp(taken: TakenDelivery): void {
    if (this.#isStopped) this.#queue.putBack(taken);
    else this.#queue.settle(taken, undefined);
  }

  /** Takes the item up again later: the store failed, and what it holds of the item is unchanged. */
  #rest(taken: TakenDelivery, error: unknown): 'failed' {
    this.#failed(error);
    this.#options.clock.after(REST_MS, () => {
      this.#queue.putBack({ ...taken, item: unsure(taken.item) });
      this.#pump();
    });
    return 'failed';
  }

  /** Begins nothing for a while, because a delivery that cannot be recorded would be sent again. */
  #failed(error: unknown): void {
    this.#options.deliveries.failed(error);
    if (!this.#isResting) this.#restFor(REST_MS);
  }

  #restFor(ms: number): void {
    this.#isResting = true;
    this.#noteRoom();
    this.#options.clock.after(ms, () => {
      this.#isResting = false;
      this.#pump();
    });
  }

  #fill(): void {
    const filled = this.#queue.fill();
    if (filled === undefined) return;
    this.#track(filled.then(this.#beginAgain, (error: unknown) => this.#failed(error)));
  }

  /** Sets a timer for the next delivery. One that is already due needs none, because it begins when there is room. */
  #setWake(now: number): void {
    const { clock } = this.#options;
    const wakeAt = this.#nextWake(now);
    if (wakeAt === undefined || wakeAt >= this.#wakeAt) return;
    this.#cancelWake?.();
    this.#wakeAt = wakeAt;
    this.#cancelWake = clock.after(Math.min(wakeAt - now, LONGEST_TIMER_MS), () => {
      this.#wakeAt = Number.POSITIVE_INFINITY;
      if (this.#isPaused || this.health.breaker.phase === 'open') this.#track(this.#expireLate());
      else this.#pump();
    });
  }

  #nextWake(now: number): number | undefined {
    const expireAt = now + EXPIRE_MS;
    if (this.#isPaused) return expireAt;
    return this.health.breaker.phase === 'open'
      ? Math.min(this.health.breaker.until, expireAt)
      : this.#queue.nextDue(now);
  }

  /** Ends expired deliveries during a pause, which does not extend their windows. */
  async #expireLate(): Promise<void> {
    await this.#sweeper.expire().catch((error: unknown) => this.#options.deliveries.failed(error));
    this.#pump();
  }

  #track(work: Promise<void>): void {
    this.#running.add(work);
    void work.then(() => this.#running.delete(work));
  }
}

/** Leaves out the body, so that the store is asked whether the item still waits. */
const unsure = ({ at, id, partition }: DueItem): DueItem => ({ at, id, partition });
