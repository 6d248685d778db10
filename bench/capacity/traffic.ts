// Seconds of traffic through processes and masters of Redis: how busy they are, and how long an event waits.
import { Fifo } from '../../src/base/structures/fifo.js';
import { at, type Costs, type StoreName } from './costs.js';
import { type Delay, quantiles } from './delays.js';
import type { Fleet } from './fleet.js';
import { type Load, MICROSECONDS, type Plan } from './plan.js';
import { exponential, Server, Simulation, seeded } from './simulation.js';

export interface Traffic {
  readonly store: StoreName;
  readonly load: Load;
  /** On lmdb the masters are disks, one for each process. */
  readonly fleet: Fleet;
  readonly seconds: number;
  readonly seed: number;
  /** Instead of at random: each of so many clients sends its next request when it has the answer to its last, until all are sent. */
  readonly clients?: { readonly count: number; readonly requests: number };
}

export interface TrafficResult {
  /** What of its core a process used. */
  readonly processes: number;
  /** What of its core a master used. */
  readonly masters: number;
  /** From the arrival of an event to its first attempt. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** How many deliveries had come and had not been tried, at the end of each tenth of a second. */
  readonly backlog: readonly number[];
  /** How many were tried, and when the last answer came, in seconds. */
  readonly tried: number;
  readonly endedAt: number;
  /** From a request of a client to its answer. */
  readonly answeredMs: number;
}

/** How many events a client puts into a request when it is not busy. */
const EVENTS_OF_A_REQUEST = 20;

/** A tenth of the time half as much again comes as on average, for a second each. */
const BURST = { times: 1.5, share: 0.1, lasts: MICROSECONDS };

/** How long the disk takes to keep what was written. */
const SYNC = 1_000;

const SAMPLE = MICROSECONDS / 10;

/** What each step takes, in µs an event or a delivery. Of a delivery, half is before its request and half after. */
interface Steps {
  readonly nodeEvent: number;
  readonly nodeDelivery: number;
  readonly redisEvent: number;
  readonly redisDelivery: number;
}

function stepsOf(costs: Costs, store: StoreName, destinations: number): Steps {
  const nodeEvent = at(costs.nodeIntake[store], destinations);
  const nodeDelivery = (at(costs.nodeEvent[store], destinations) - nodeEvent) / destinations;
  if (store === 'lmdb') return { nodeEvent, nodeDelivery, redisEvent: 0, redisDelivery: 0 };
  const redisEvent = at(costs.redisIntake.redis, destinations);
  const redisDelivery = (at(costs.redisEvent.redis, destinations) - redisEvent) / destinations;
  return { nodeEvent, nodeDelivery, redisEvent, redisDelivery };
}

interface Arrived {
  readonly at: number;
  events: number;
}

/** What a process has for one endpoint. */
interface Queue {
  readonly waiting: Fifo<Arrived>;
  inFlight: number;
}

interface Process {
  readonly server: Server;
  readonly queues: readonly Queue[];
}

export function simulateTraffic(costs: Costs, traffic: Traffic, plan: Plan): TrafficResult {
  return new TrafficSimulation(costs, traffic, plan).run();
}

class TrafficSimulation {
  readonly #traffic: Traffic;
  readonly #plan: Plan;
  readonly #steps: Steps;
  readonly #random: () => number;
  readonly #simulation = new Simulation();
  readonly #processes: readonly Process[];
  readonly #masters: readonly Server[];
  readonly #delays: Delay[] = [];
  readonly #answers: Delay[] = [];
  readonly #backlogs: number[] = [];
  #backlog = 0;
  #tried = 0;
  #requests = 0;
  #endedAt = 0;
  #burstEndsAt = 0;
  #burstBeginsAt: number;

  constructor(costs: Costs, traffic: Traffic, plan: Plan) {
    const { store, load, fleet, seed } = traffic;
    this.#traffic = traffic;
    this.#plan = plan;
    this.#steps = stepsOf(costs, store, load.destinations);
    this.#random = seeded(seed);
    this.#burstBeginsAt = this.#untilBurst();
    this.#processes = Array.from({ length: fleet.processes }, () => ({
      server: new Server(this.#simulation),
      queues: Array.from({ length: load.destinations }, () => ({ waiting: new Fifo(), inFlight: 0 })),
    }));
    this.#masters = Array.from({ length: fleet.masters }, () => new Server(this.#simulation, SYNC));
  }

  run(): TrafficResult {
    const until = this.#traffic.seconds * MICROSECONDS;
    if (this.#traffic.clients === undefined) this.#arrive();
    else for (let client = 0; client < this.#traffic.clients.count; client++) this.#ask(this.#traffic.clients.requests);
    this.#sample();
    this.#simulation.run(until);
    const busy = (servers: readonly Server[]): number =>
      servers.reduce((sum, server) => sum + server.busy, 0) / (servers.length * until);
    const [p50Ms = 0, p99Ms = 0] = quantiles(this.#delays, [0.5, 0.99]);
    const [answeredMs = 0] = quantiles(this.#answers, [0.5]);
    return {
      processes: busy(this.#processes.map(({ server }) => server)),
      masters: busy(this.#masters),
      p50Ms,
      p99Ms,
      backlog: this.#backlogs,
      tried: this.#tried,
      endedAt: this.#endedAt / MICROSECONDS,
      answeredMs,
    };
  }

  #arrive(): void {
    this.#simulation.after(exponential(this.#random, EVENTS_OF_A_REQUEST / this.#rate()), () => {
      this.#takeIn();
      this.#arrive();
    });
  }

  /** As one client does, again and again. */
  #ask(most: number): void {
    if (this.#requests >= most) return;
    const askedAt = this.#simulation.now;
    this.#takeIn(() => {
      this.#answers.push({ ms: (this.#simulation.now - askedAt) / 1_000, count: 1 });
      this.#ask(most);
    });
  }

  /** Events a µs, now. */
  #rate(): number {
    const { now } = this.#simulation;
    if (now >= this.#burstBeginsAt) {
      this.#burstEndsAt = now + BURST.lasts;
      this.#burstBeginsAt = this.#burstEndsAt + this.#untilBurst();
    }
    const calm = (1 - BURST.share * BURST.times) / (1 - BURST.share);
    return (this.#traffic.load.events / MICROSECONDS) * (now < this.#burstEndsAt ? BURST.times : calm);
  }

  #untilBurst(): number {
    return exponential(this.#random, (BURST.lasts * (1 - BURST.share)) / BURST.share);
  }

  /** The balancer deals requests in turn; a process stores each event on the master that its id hashes to. */
  #takeIn(answer?: () => void): void {
    const { destinations } = this.#traffic.load;
    const arrivedAt = this.#simulation.now;
    const index = this.#requests++ % this.#processes.length;
    const process = this.#processes[index];
    if (process === undefined) return;
    this.#backlog += EVENTS_OF_A_REQUEST * destinations;
    process.server.give(EVENTS_OF_A_REQUEST * this.#steps.nodeEvent, () => {
      const dealt = this.#dealt(index);
      let waitsFor = dealt.size;
      for (const [master, events] of dealt) {
        master.give(events * this.#steps.redisEvent, () => {
          if (--waitsFor === 0) answer?.();
          for (const queue of process.queues) {
            queue.waiting.push({ at: arrivedAt, events });
            this.#pump(process, queue);
          }
        });
      }
    });
  }

  #dealt(process: number): Map<Server, number> {
    const dealt = new Map<Server, number>();
    for (let event = 0; event < EVENTS_OF_A_REQUEST; event++) {
      const hash = this.#traffic.store === 'lmdb' ? process : Math.floor(this.#random() * this.#masters.length);
      const master = this.#masters[hash];
      if (master !== undefined) dealt.set(master, (dealt.get(master) ?? 0) + 1);
    }
    return dealt;
  }

  /** Begins as many requests as may be in flight. */
  #pump(process: Process, queue: Queue): void {
    for (let first = queue.waiting.first; first !== undefined; first = queue.waiting.first) {
      const events = Math.min(first.events, this.#plan.concurrency - queue.inFlight);
      if (events <= 0) return;
      first.events -= events;
      if (first.events === 0) queue.waiting.shift();
      this.#send(process, queue, { at: first.at, events });
    }
  }

  #send(process: Process, queue: Queue, { at: arrivedAt, events }: Arrived): void {
    const half = (events * this.#steps.nodeDelivery) / 2;
    queue.inFlight += events;
    process.server.give(half, () => {
      this.#delays.push({ ms: (this.#simulation.now - arrivedAt) / 1_000, count: events });
      this.#backlog -= events;
      this.#tried += events;
      this.#simulation.after(exponential(this.#random, this.#plan.answerMs * 1_000), () => {
        process.server.give(half, () => {
          queue.inFlight -= events;
          this.#endedAt = this.#simulation.now;
          this.#record(process, events);
          this.#pump(process, queue);
        });
      });
    });
  }

  /** Nothing waits for it. */
  #record(process: Process, events: number): void {
    const { length } = this.#masters;
    const index =
      this.#traffic.store === 'lmdb' ? this.#processes.indexOf(process) : Math.floor(this.#random() * length);
    this.#masters[index]?.give(events * this.#steps.redisDelivery, () => {});
  }

  #sample(): void {
    this.#simulation.after(SAMPLE, () => {
      this.#backlogs.push(this.#backlog);
      this.#sample();
    });
  }
}
