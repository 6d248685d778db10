// How long what waited takes to go out after an outage.
import { at, type Costs } from './costs.js';
import { type Fleets, masterUse, SECOND_MS } from './fleet.js';
import { type Load, MICROSECONDS, type Plan } from './plan.js';
import { eventsInFlight } from './rates.js';

/**
 * How many times as many attempts as there are events an endpoint gets while it catches up, when all that is not needed for the
 * rest goes there. The events that come meanwhile are among them.
 */
export function catchUp(costs: Costs, load: Load, { fleets, ...fleet }: Fleets, down: number, plan: Plan): number {
  const { destinations } = load;
  const part = { destinations, events: load.events / fleets };
  const node = {
    event: at(costs.nodeEvent.redis, destinations),
    intake: at(costs.nodeIntake.redis, destinations),
    used: (part.events * at(costs.nodeEvent.redis, destinations)) / (fleet.processes * MICROSECONDS),
  };
  const redis = {
    event: at(costs.redisEvent.redis, destinations),
    intake: at(costs.redisIntake.redis, destinations),
    used: masterUse(costs, part, fleet, plan).core,
  };
  const byWork = [node, redis].map(({ event, intake, used }) => {
    const theirs = (used * (event - intake) * down) / (destinations * event);
    return (1 - used + theirs) / theirs;
  });
  return Math.min(...byWork, (fleet.processes * eventsInFlight(plan)) / part.events);
}

/** In seconds, beginning at the end of the outage. */
export const drainSeconds = (times: number, { outageMs }: Plan): number => outageMs / SECOND_MS / (times - 1);
