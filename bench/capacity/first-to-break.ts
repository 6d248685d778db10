// What breaks first as the rate goes up, for each kind of service.
import { at, type Costs } from './costs.js';
import { idBytes, masterUse, outageBytes, processesFor } from './fleet.js';
import { MICROSECONDS, type Plan, USABLE_MEMORY } from './plan.js';
import { eventsInFlight } from './rates.js';

/** A service: one process on lmdb, or as many processes as it needs on so many masters. */
export type Service = { readonly store: 'lmdb' } | { readonly store: 'redis'; readonly masters: number };

/** How much of each resource is used, by its name: 1 is all of it. */
type Use = Readonly<Record<string, number>>;

export interface Limit {
  readonly resource: string;
  /** Events a second. */
  readonly events: number;
}

export function useOf(costs: Costs, service: Service, events: number, destinations: number, plan: Plan): Use {
  if (service.store === 'lmdb') {
    return {
      'core of the process': (events * at(costs.nodeEvent.lmdb, destinations)) / MICROSECONDS,
      'requests in flight': events / eventsInFlight(plan),
    };
  }
  const { masters } = service;
  const load = { events, destinations };
  const processes = processesFor(costs, load, masters, plan);
  const use = masterUse(costs, load, { processes, masters }, plan);
  const waiting = outageBytes(costs, 'redis', events, 1, plan);
  const memoryBytes = masters * plan.maxMemoryBytes * USABLE_MEMORY;
  return {
    'core of Redis': use.core,
    connections: use.connections,
    'disk of Redis': use.disk,
    'network of Redis': use.network,
    'memory: ids of a day': use.ids,
    'memory: one destination down for four hours': (idBytes(costs, events, plan) + waiting) / memoryBytes,
  };
}

const STEP = 1.05;
const PRECISION = 1e-6;
const MOST_EVENTS = 1e9;

/** Walks up the rate until each resource is used up, and tells of them in that order. */
export function limitsOf(costs: Costs, service: Service, destinations: number, plan: Plan): Limit[] {
  const use = (events: number): Use => useOf(costs, service, events, destinations, plan);
  const limits = Object.keys(use(1)).map((resource) => {
    const isOver = (events: number): boolean => (use(events)[resource] ?? 0) > 1;
    return { resource, events: lastBelow(isOver) };
  });
  return limits.sort((one, other) => one.events - other.events);
}

function lastBelow(isOver: (events: number) => boolean): number {
  let low = 0;
  let high = 1;
  while (!isOver(high) && high < MOST_EVENTS) {
    low = high;
    high *= STEP;
  }
  while (high - low > high * PRECISION) {
    const middle = (low + high) / 2;
    if (isOver(middle)) high = middle;
    else low = middle;
  }
  return low;
}
