// What a load needs: processes, masters of Redis, memory, disk, network, connections.
import { at, type Costs, waitingBytes } from './costs.js';
import { type Load, MICROSECONDS, type Plan, USABLE_MEMORY } from './plan.js';
import { eventsInFlight } from './rates.js';

/** Processes that share masters. */
export interface Fleet {
  readonly processes: number;
  readonly masters: number;
}

/** How many partitions a storage in a cluster has unless told otherwise, and the most, which are the most masters too. */
const LEAST_PARTITIONS = 16;
const MOST_PARTITIONS = 256;

export const SECOND_MS = 1_000;

/** How many processes share so many masters under a load; infinite where they would be busy with the masters alone. */
export function processesFor(costs: Costs, load: Load, masters: number, plan: Plan): number {
  const { events, destinations } = load;
  const perProcess = plan.utilisation * MICROSECONDS - nodeIdle(costs, destinations, masters);
  if (perProcess <= 0) return Number.POSITIVE_INFINITY;
  const forWork = (events * at(costs.nodeEvent.redis, destinations)) / perProcess;
  return Math.ceil(Math.max(forWork, events / eventsInFlight(plan)));
}

/** What a process that does nothing costs itself, in µs a second: of its own, and for each destination in each partition. */
function nodeIdle(costs: Costs, destinations: number, masters: number): number {
  const itself = at(costs.nodeIdle.redis, 0);
  return itself + partitionsOf(masters) * (at(costs.nodeIdle.redis, destinations) - itself);
}

/** A cluster has a partition for each master, and from the beginning some to grow into. */
const partitionsOf = (masters: number): number => (masters === 1 ? 1 : Math.max(LEAST_PARTITIONS, masters));

/** The worker of an endpoint waits at the master that has its queue, and has asked another one for the slots of a cluster. */
function connectionsOf(costs: Costs, destinations: number, masters: number): number {
  const itself = at(costs.connections.redis, 0);
  const workers = at(costs.connections.redis, destinations) - itself;
  return itself + (masters === 1 ? workers : (2 * workers) / masters);
}

/** What a fleet uses of one of its masters, as a share of what that has: 1 is all of it. */
export interface MasterUse {
  readonly core: number;
  /** Of the core, what processes take by being there. */
  readonly idle: number;
  readonly connections: number;
  readonly disk: number;
  readonly network: number;
  /** Of its memory, what the ids of a day take. */
  readonly ids: number;
}

export function masterUse(costs: Costs, { events, destinations }: Load, fleet: Fleet, plan: Plan): MasterUse {
  const perMaster = events / fleet.masters;
  const partitions = partitionsOf(fleet.masters) / fleet.masters;
  const idle = (fleet.processes * partitions * at(costs.redisIdle.redis, destinations)) / MICROSECONDS;
  const bytesOneWay = Math.max(
    at(costs.redisReceivedEvent.redis, destinations),
    // A replica gets what is appended.
    at(costs.redisSentEvent.redis, destinations) + at(costs.aofEvent.redis, destinations),
  );
  return {
    core: (perMaster * at(costs.redisEvent.redis, destinations)) / MICROSECONDS + idle,
    idle,
    connections: (fleet.processes * connectionsOf(costs, destinations, fleet.masters)) / plan.maxClients,
    disk: (perMaster * at(costs.aofEvent.redis, destinations)) / plan.diskBytesPerSecond,
    network: (perMaster * bytesOneWay * 8) / plan.networkBitsPerSecond,
    ids: idBytes(costs, perMaster, plan) / (plan.maxMemoryBytes * USABLE_MEMORY),
  };
}

/** What the ids of a day take, in bytes. */
export const idBytes = (costs: Costs, events: number, { idMs }: Plan): number =>
  events * (idMs / SECOND_MS) * at(costs.messageId.redis, 1);

/** What waits at the end of an outage of so many destinations, in bytes: paused endpoints keep first attempts waiting. */
export const outageBytes = (costs: Costs, store: 'lmdb' | 'redis', events: number, down: number, plan: Plan): number =>
  events * (plan.outageMs / SECOND_MS) * waitingBytes(costs, store, down);

/** The same where each delivery was attempted six times, as at endpoints that answer, but seldom well. */
export const retriedBytes = (costs: Costs, store: 'lmdb' | 'redis', events: number, down: number, plan: Plan): number =>
  events * (plan.outageMs / SECOND_MS) * at(costs.retryEvent[store], down);

/** As many masters as the memory needs, beside the ids of a day. */
export const mastersToHold = (costs: Costs, events: number, waiting: number, plan: Plan): number =>
  Math.ceil((idBytes(costs, events, plan) + waiting) / (plan.maxMemoryBytes * USABLE_MEMORY));

/** Fleets that share nothing, each with an equal part of the load. */
export interface Fleets extends Fleet {
  readonly fleets: number;
}

/** No one needs more fleets than this; more says that something is wrong with the costs. */
const MOST_FLEETS = 10_000;

/** The fewest fleets of which each fits: no master busier than planned, nor with more connections or idle work than it may. */
export function fleetsFor(costs: Costs, load: Load, plan: Plan, down = 1): Fleets {
  for (let fleets = 1; fleets <= MOST_FLEETS; fleets++) {
    const part = { ...load, events: load.events / fleets };
    const fleet = fleetFor(costs, part, plan, down);
    if (fleet !== undefined) return { ...fleet, fleets };
  }
  throw new Error(`No fleet carries ${load.events} events a second`);
}

/** The fewest masters, with room for an outage of `down` destinations; undefined where no number of them is enough. */
function fleetFor(costs: Costs, load: Load, plan: Plan, down: number): Fleet | undefined {
  const toHold = mastersToHold(costs, load.events, outageBytes(costs, 'redis', load.events, down, plan), plan);
  const toWork = (load.events * at(costs.redisEvent.redis, load.destinations)) / (plan.utilisation * MICROSECONDS);
  for (let masters = Math.max(1, toHold, Math.ceil(toWork)); masters <= MOST_PARTITIONS; masters++) {
    const processes = processesFor(costs, load, masters, plan);
    if (Number.isFinite(processes) && fits(masterUse(costs, load, { processes, masters }, plan), plan)) {
      return { processes, masters };
    }
  }
  return undefined;
}

const fits = ({ core, disk, network, connections, idle }: MasterUse, { utilisation, idleShare }: Plan): boolean =>
  Math.max(core, disk, network) <= utilisation && connections <= 1 && idle <= idleShare;
