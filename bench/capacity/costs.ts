// What the service costs, as measured: costs.json, read at any number of destinations.
import measured from './costs.json' with { type: 'json' };

/** What was measured, by the number of destinations. */
export type Points = Readonly<Record<string, number>>;

export type StoreName = 'lmdb' | 'redis';

interface PerStore {
  readonly lmdb: Points;
  readonly redis: Points;
}

interface OnRedis {
  readonly redis: Points;
}

/** costs.json without its words; it says the unit of each. */
export interface Costs {
  readonly nodeEvent: PerStore;
  readonly nodeIntake: PerStore;
  readonly nodeIdle: OnRedis;
  readonly redisEvent: OnRedis;
  readonly redisIntake: OnRedis;
  readonly redisIdle: OnRedis;
  readonly connections: OnRedis;
  readonly aofEvent: OnRedis;
  readonly redisReceivedEvent: OnRedis;
  readonly redisSentEvent: OnRedis;
  readonly waitingEvent: PerStore;
  readonly retryEvent: PerStore;
  readonly messageId: OnRedis;
  readonly deliveryBytes: PerStore;
  /** Not a cost: what came of them on the machine that measured them. */
  readonly eventsPerSecond: PerStore;
  readonly answeredMs: PerStore;
}

export const COSTS: Costs = measured;

/** By a straight line between the two that were measured beside it; beyond them, by the nearest such line. */
export function at(points: Points, destinations: number): number {
  // Names that are numbers are in the order of these.
  const known = Object.entries(points).map(([count, value]) => [Number(count), value] as const);
  const [first, second = first] = known;
  if (first === undefined || second === undefined) throw new Error('Nothing was measured');
  const above = Math.max(
    1,
    known.findIndex(([count]) => count >= destinations),
  );
  const isBeyond = known.length > 1 && destinations > (known.at(-1)?.[0] ?? 0);
  const [x1, y1] = (isBeyond ? known.at(-2) : known[above - 1]) ?? first;
  const [x2, y2] = (isBeyond ? known.at(-1) : known[above]) ?? second;
  return x1 === x2 ? y1 : y1 + ((y2 - y1) * (destinations - x1)) / (x2 - x1);
}

/** What waits on Redis, without its id, which is remembered whether it waits or not. */
export function waitingBytes(costs: Costs, store: StoreName, destinations: number): number {
  const all = at(costs.waitingEvent[store], destinations);
  return store === 'redis' ? all - at(costs.messageId.redis, 1) : all;
}
