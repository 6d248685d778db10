// How much one core, one process and one Redis carry.
import { at, type Costs, type StoreName } from './costs.js';
import { MICROSECONDS, type Plan } from './plan.js';

/** Events a second that one core of Node carries when it does nothing else. */
export const eventsPerCore = (costs: Costs, store: StoreName, destinations: number): number =>
  MICROSECONDS / at(costs.nodeEvent[store], destinations);

/** Events a second to one destination for which a process has requests enough in flight. */
export const eventsInFlight = ({ concurrency, answerMs }: Plan): number => (concurrency / answerMs) * 1_000;

/**
 * Events a second that one process is planned to carry. JavaScript has one thread, so a process counts as one core, although a
 * part of what it costs is off that thread: V8's helpers, lmdb's writer.
 */
export const eventsPerProcess = (costs: Costs, store: StoreName, destinations: number, plan: Plan): number =>
  Math.min(eventsPerCore(costs, store, destinations) * plan.utilisation, eventsInFlight(plan));

/** Events a second whose commands fill the one core that a Redis has for them. */
export const eventsPerRedis = (costs: Costs, destinations: number): number =>
  MICROSECONDS / at(costs.redisEvent.redis, destinations);
