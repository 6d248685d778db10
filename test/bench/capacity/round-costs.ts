import type { Costs } from '../../../bench/capacity/costs.js';
import { PLAN, type Plan } from '../../../bench/capacity/plan.js';

/** Costs of which the results are known by hand: an event is 100 µs of Node and 20 of Redis, and each delivery as much again. */
export const ROUND: Costs = {
  nodeEvent: { lmdb: { 1: 200, 10: 1_100, 100: 10_100 }, redis: { 1: 200, 10: 1_100, 100: 10_100 } },
  nodeIntake: { lmdb: { 1: 100, 10: 100 }, redis: { 1: 100, 10: 100 } },
  nodeIdle: { redis: { 10: 11_000, 100: 20_000 } },
  redisEvent: { redis: { 1: 40, 10: 220, 100: 2_020 } },
  redisIntake: { redis: { 1: 20, 10: 20 } },
  redisIdle: { redis: { 10: 200, 100: 2_000 } },
  connections: { redis: { 10: 13, 100: 103 } },
  aofEvent: { redis: { 1: 1_000, 10: 5_000, 100: 45_000 } },
  redisReceivedEvent: { redis: { 1: 1_000, 10: 5_000, 100: 45_000 } },
  redisSentEvent: { redis: { 1: 500, 10: 5_000, 100: 50_000 } },
  waitingEvent: { lmdb: { 1: 1_000, 10: 2_800 }, redis: { 1: 1_100, 10: 2_900 } },
  retryEvent: { lmdb: { 1: 2_000, 10: 11_000 }, redis: { 1: 2_000, 10: 11_000 } },
  messageId: { redis: { 1: 100 } },
  deliveryBytes: { lmdb: { 1: 700, 10: 7_000 }, redis: { 1: 700, 10: 7_000 } },
  eventsPerSecond: { lmdb: { 1: 5_000 }, redis: { 1: 5_000 } },
  answeredMs: { lmdb: { 1: 30 }, redis: { 1: 30 } },
};

/** A plan with memory enough for anything, so that the cores decide. */
export const ROOMY: Plan = { ...PLAN, maxMemoryBytes: 1e15 };
