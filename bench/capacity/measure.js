// Measures what the service costs, and shows it or puts it into costs.json:
//
//   npm run build && node bench/capacity/measure.js [--only lmdb] [--rounds 3] [--write]
//
// `--only` takes lmdb or redis. A round takes about 40 seconds for each. Let the machine do nothing else meanwhile.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { describeMachine } from '../machine.js';
import { ALWAYS, configOf, LMDB, measureOne, perEvent } from '../measurements/service.js';
import { runClient } from '../processes.js';
import { startRedis } from '../service/redis.js';
import { startReceiver, startService } from '../service/service.js';
import { median } from '../statistics.js';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    write: { type: 'boolean', default: false },
  },
});

const COSTS = new URL('costs.json', import.meta.url);
const STORES = { lmdb: LMDB, redis: ALWAYS };
const names = Object.keys(STORES).filter((name) => values.only === undefined || name === values.only);

/** How many destinations an event has. */
const SHAPES = [1, 10, 100];

/** Enough for the breaker of every endpoint to open. */
const UNTIL_OPEN = 400;
/** How many deliveries then come to wait. */
const WAITING = 20_000;
const SETTLE_MS = 3_000;
const IDLE_MS = 10_000;

const seen = {};
for (let round = 1; round <= Number(values.rounds); round++) {
  for (const name of names) {
    for (const destinations of SHAPES) {
      process.stderr.write(`round ${round}: ${name}, ${destinations}\n`);
      note(name, destinations, await delivering(STORES[name], destinations));
    }
    for (const destinations of [1, 10]) note(name, destinations, await waiting(STORES[name], destinations));
    if (name === 'redis') for (const destinations of [10, 100]) note(name, destinations, await idle(destinations));
  }
}
const rows = Object.entries(seen).map(([key, found]) => [key, rounded(median(found))]);
for (const [key, value] of rows) console.log(`${key}: ${value}`);
if (values.write) write(Object.fromEntries(rows));

function note(name, destinations, found) {
  for (const [what, value] of Object.entries(found)) {
    const key = `${what}.${name}.${destinations}`;
    seen[key] ??= [];
    seen[key].push(value);
  }
}

/** All is well: what an event costs, all its deliveries included. */
async function delivering(store, destinations) {
  const label = `${store.name}-${destinations}`;
  const { perSecond, answeredMs, cpuMicroseconds, bytes, redis } = await measureOne({
    label,
    store,
    destinations,
    alive: destinations,
  });
  return {
    eventsPerSecond: perSecond,
    answeredMs,
    nodeEvent: cpuMicroseconds,
    deliveryBytes: bytes,
    ...(redis && {
      redisEvent: redis.mainThreadMicroseconds,
      aofEvent: redis.aofBytes,
      // Nothing else stays of what was delivered.
      ...(destinations === 1 && { messageId: redis.memoryBytes }),
      redisReceivedEvent: redis.receivedBytes,
      redisSentEvent: redis.sentBytes,
    }),
  };
}

/** All destinations are down and their breakers open: what an event costs until it waits, and what it then takes. */
async function waiting(store, destinations) {
  return inService(store, destinations, async ({ service, redis, folder }) => {
    const send = (first, end) => {
      const settings = { messages: 20, concurrency: 16 };
      return runClient(
        'service',
        { client: 'acknowledged', label: 'waiting', settings },
        { url: service.url, first, end },
      );
    };
    await send(0, UNTIL_OPEN);
    await delay(1_000);
    const heldBefore = redis ? undefined : lmdbBytes(folder);
    const before = await redis?.usage();
    await service.reset();
    const events = WAITING / destinations;
    await send(UNTIL_OPEN, UNTIL_OPEN + events);
    const { cpuMicroseconds } = await service.cost();
    const used = redis && perEvent(before, await redis.usage(), events);
    return {
      nodeIntake: cpuMicroseconds / events,
      ...(used && { redisIntake: used.mainThreadMicroseconds }),
      waitingEvent: used ? used.memoryBytes : (lmdbBytes(folder) - heldBefore) / events,
    };
  });
}

/** Nothing happens: what a process costs by being there, beyond a Redis that has none. */
async function idle(destinations) {
  return inService(ALWAYS, destinations, async ({ service, redis }) => {
    await delay(SETTLE_MS);
    await service.reset();
    const { connections } = await redis.usage();
    const withProcess = await redisIdle(redis);
    const { cpuMicroseconds } = await service.cost();
    await service.stop();
    const alone = await redisIdle(redis);
    return {
      redisIdle: Math.max(0, withProcess - alone),
      nodeIdle: cpuMicroseconds / (IDLE_MS / 1_000),
      connections,
    };
  });
}

/** In µs a second. */
async function redisIdle(redis) {
  const before = await redis.usage();
  await delay(IDLE_MS);
  const after = await redis.usage();
  return (after.mainThreadMicroseconds - before.mainThreadMicroseconds) / (IDLE_MS / 1_000);
}

async function inService(store, destinations, use) {
  const folder = mkdtempSync(join(tmpdir(), 'eventferry-bench-'));
  const redis = store === LMDB ? undefined : await startRedis(folder, store.appendfsync);
  const receiver = await startReceiver();
  const config = await configOf({ destinations, dead: undefined }, receiver.url, redis?.url);
  // They refuse once the receiver is gone.
  receiver.stop();
  const service = await startService(folder, config, 'capacity');
  try {
    return await use({ service, redis, folder });
  } finally {
    await service.stop();
    await redis?.stop();
    rmSync(folder, { recursive: true });
  }
}

/** The file grows by the pages that are written and not yet free. */
function lmdbBytes(folder) {
  return statSync(join(folder, 'data', 'data.mdb')).size;
}

function rounded(value) {
  return value < 1_000 ? Math.round(value * 10) / 10 : Math.round(value);
}

function write(found) {
  const costs = JSON.parse(readFileSync(COSTS, 'utf8'));
  const when = `${new Date().toISOString().slice(0, 10)}, ${describeMachine()}`;
  for (const [key, value] of Object.entries(found)) {
    const [what, store, destinations] = key.split('.');
    Object.assign(costs[what], { when });
    costs[what][store][destinations] = value;
  }
  writeFileSync(COSTS, `${JSON.stringify(costs, null, 2)}\n`);
}
