// Hours of an outage, second by second, with the schedule of retries and the circuit breaker of the package itself.

import { Fifo } from '../../src/base/structures/fifo.js';
import { afterFailure, type Breaker, CLOSED, probe } from '../../src/delivery/breaker.js';
import { nextAttempt } from '../../src/delivery/schedule.js';
import { at, type Costs, type StoreName, waitingBytes } from './costs.js';
import { Simulation, seeded } from './simulation.js';

export interface Outage {
  readonly store: StoreName;
  /** Events a second, each for all of them. */
  readonly events: number;
  /** How many destinations are down. */
  readonly down: number;
  readonly outageSeconds: number;
  readonly processes: number;
  /** How many attempts a second an endpoint gets once it is up again, retries included. */
  readonly attemptsPerSecond: number;
  /** The share of attempts that an endpoint that is down answers well all the same. */
  readonly answered?: number;
  readonly seed: number;
}

export interface OutageResult {
  /** The most that waited at one time: deliveries, and the bytes of them and their events. */
  readonly mostDeliveries: number;
  readonly mostBytes: number;
  /** Of the deliveries that waited when the outage ended, how many had been tried. */
  readonly retries: number;
  readonly delivered: number;
  readonly dead: number;
  /** From the end of the outage until no more waits than a second brings; undefined where that did not come. */
  readonly drainSeconds: number | undefined;
  /** The bytes that waited, at the end of each minute. */
  readonly bytes: readonly number[];
}

interface Delivery {
  readonly event: number;
  /** In seconds. */
  readonly acceptedAt: number;
  firstAttemptAt: number;
  attempts: number;
}

interface Endpoint {
  readonly firsts: Fifo<Delivery>;
  readonly dueRetries: Fifo<Delivery>;
  /** One for each process. */
  readonly breakers: Breaker[];
}

const WINDOW_MS = 4 * 60 * 60_000;

/** For so many times as long as the outage, a drain is waited for. */
const PATIENCE = 5;

export function simulateOutage(costs: Costs, outage: Outage): OutageResult {
  return new OutageSimulation(costs, outage).run();
}

class OutageSimulation {
  readonly #outage: Outage;
  readonly #random: () => number;
  /** Of retries that are not due. Its times are seconds. */
  readonly #ahead = new Simulation();
  readonly #endpoints: readonly Endpoint[];
  /** How many destinations each event still waits for. */
  readonly #waitsFor: number[] = [];
  readonly #bytesOf: { readonly event: number; readonly delivery: number; readonly retry: number };
  readonly #minutes: number[] = [];
  #now = 0;
  #due = 0;
  #waiting = 0;
  #retries = 0;
  #bytes = 0;
  #mostDeliveries = 0;
  #mostBytes = 0;
  #delivered = 0;
  #dead = 0;

  constructor(costs: Costs, outage: Outage) {
    this.#outage = outage;
    this.#random = seeded(outage.seed);
    this.#bytesOf = partsOf(costs, outage.store);
    this.#endpoints = Array.from({ length: outage.down }, () => ({
      firsts: new Fifo(),
      dueRetries: new Fifo(),
      breakers: Array.from({ length: outage.processes }, () => CLOSED),
    }));
  }

  run(): OutageResult {
    const { outageSeconds, events } = this.#outage;
    while (this.#now < outageSeconds) this.#second();
    const retries = this.#retries;
    const giveUpAt = outageSeconds * PATIENCE;
    const isDrained = (): boolean => this.#waiting <= events * this.#endpoints.length;
    while (!isDrained() && this.#now < giveUpAt) this.#second();
    return {
      mostDeliveries: this.#mostDeliveries,
      mostBytes: this.#mostBytes,
      retries,
      delivered: this.#delivered,
      dead: this.#dead,
      drainSeconds: isDrained() ? this.#now - outageSeconds : undefined,
      bytes: this.#minutes,
    };
  }

  #second(): void {
    this.#ahead.run(this.#now);
    this.#arrive();
    for (const endpoint of this.#endpoints) this.#attemptAll(endpoint);
    this.#now++;
    this.#mostDeliveries = Math.max(this.#mostDeliveries, this.#waiting);
    this.#mostBytes = Math.max(this.#mostBytes, this.#bytes);
    if (this.#now % 60 === 0) this.#minutes.push(this.#bytes);
  }

  #arrive(): void {
    for (this.#due += this.#outage.events; this.#due >= 1; this.#due--) {
      const event = this.#waitsFor.push(this.#endpoints.length) - 1;
      this.#bytes += this.#bytesOf.event;
      for (const { firsts } of this.#endpoints) {
        firsts.push({ event, acceptedAt: this.#now, firstAttemptAt: 0, attempts: 0 });
        this.#waiting++;
        this.#bytes += this.#bytesOf.delivery;
      }
    }
  }

  /** Each process makes its part of the attempts, as far as its breaker lets it. */
  #attemptAll(endpoint: Endpoint): void {
    const { processes, attemptsPerSecond } = this.#outage;
    const perProcess = attemptsPerSecond / processes;
    // Some seconds have one more, so that there are as many as asked for.
    const room = Math.floor((this.#now + 1) * perProcess) - Math.floor(this.#now * perProcess);
    for (let index = 0; index < processes; index++) {
      for (let attempt = 0; attempt < room; attempt++) {
        const breaker = probe(endpoint.breakers[index] ?? CLOSED, this.#now * 1_000);
        if (breaker.phase === 'open') break;
        const delivery = this.#next(endpoint);
        if (delivery === undefined) break;
        endpoint.breakers[index] = this.#attempt(endpoint, delivery, breaker);
      }
    }
  }

  /** First attempts go before retries; what has waited for longer than the window is dead. */
  #next({ firsts, dueRetries }: Endpoint): Delivery | undefined {
    for (let first = firsts.shift(); first !== undefined; first = firsts.shift()) {
      if ((this.#now - first.acceptedAt) * 1_000 <= WINDOW_MS) return first;
      this.#end(first, 'dead');
    }
    return dueRetries.shift();
  }

  /** Gives the breaker as it is then. */
  #attempt(endpoint: Endpoint, delivery: Delivery, breaker: Breaker): Breaker {
    const { outageSeconds, answered = 0 } = this.#outage;
    if (this.#now >= outageSeconds || this.#random() < answered) {
      this.#end(delivery, 'delivered');
      return CLOSED;
    }
    this.#retryLater(endpoint, delivery);
    const wasProbe = breaker.phase === 'half-open';
    return afterFailure(breaker, { now: this.#now * 1_000, random: this.#random(), retryAfterMs: undefined, wasProbe });
  }

  #retryLater({ dueRetries }: Endpoint, delivery: Delivery): void {
    if (delivery.attempts++ === 0) {
      delivery.firstAttemptAt = this.#now;
      this.#retries++;
      this.#bytes += this.#bytesOf.retry;
    }
    const now = this.#now * 1_000;
    const firstAttemptAt = delivery.firstAttemptAt * 1_000;
    const { attempts } = delivery;
    const answer = nextAttempt({ attempts, now, firstAttemptAt, windowMs: WINDOW_MS, random: this.#random() });
    if ('over' in answer) this.#end(delivery, 'dead');
    else this.#ahead.after(answer.due / 1_000 - this.#ahead.now, () => dueRetries.push(delivery));
  }

  #end({ event, attempts }: Delivery, end: 'delivered' | 'dead'): void {
    if (end === 'dead') this.#dead++;
    else this.#delivered++;
    this.#waiting--;
    this.#bytes -= this.#bytesOf.delivery;
    if (attempts > 0) {
      this.#retries--;
      this.#bytes -= this.#bytesOf.retry;
    }
    const left = (this.#waitsFor[event] ?? 0) - 1;
    this.#waitsFor[event] = left;
    if (left === 0) this.#bytes -= this.#bytesOf.event;
  }
}

/** What an event takes, each delivery of it, and what a delivery takes more once it was tried. */
function partsOf(costs: Costs, store: StoreName): { event: number; delivery: number; retry: number } {
  const one = waitingBytes(costs, store, 1);
  const delivery = waitingBytes(costs, store, 2) - one;
  const retry = Math.max(0, at(costs.retryEvent[store], 2) - at(costs.retryEvent[store], 1) - delivery);
  return { event: one - delivery, delivery, retry };
}
