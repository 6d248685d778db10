// What an event costs the service on its way in, and what it takes while it waits.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { runClient } from '../processes.js';
import { count } from '../report.js';
import { isRedisInstalled, startRedis } from '../service/redis.js';
import { startReceiver, startService } from '../service/service.js';
import { median } from '../statistics.js';
import { atMost } from '../targets.js';
import { ALWAYS, configOf, LMDB, measureOne, perEvent } from './service.js';

const ROUNDS = 3;

const DESTINATIONS = [1, 10, 20];

/** The most bytes for each destination after the first, and how many times the bytes of one destination twenty may take. */
const MOST_BYTES_EACH = { lmdb: 260, redis: 70 };
const MOST_TIMES_ONE = { lmdb: 6.5, redis: 2.5 };

/** Enough for the breaker of every endpoint to open. */
const UNTIL_OPEN = 400;
/** How many deliveries then come to wait. */
const WAITING = 20_000;

export const title = 'What waits';
export const note =
  'events whose destinations are all down: what taking one in costs, and the bytes it takes until its first attempt, in the memory of Redis or the file of lmdb';

export async function measure({ progress }) {
  const stores = isRedisInstalled() ? ['lmdb', 'redis'] : ['lmdb'];
  const rounds = [];
  for (let round = 1; round <= ROUNDS; round++) {
    for (const store of stores) {
      progress(`round ${round}: ${store}`);
      for (const destinations of DESTINATIONS) {
        rounds.push({ store, destinations, ...(await waiting(store, destinations)) });
      }
    }
  }
  const ids = stores.includes('redis') ? [await remembered()] : [];
  const targets = stores.flatMap((store) => targetsOf(rounds, store));
  // The pages show what events cost at 1 and at 10 destinations.
  const costs = rounds.filter(({ destinations }) => destinations <= 10);
  return { tables: [tableOf(rounds, stores)], targets, costs: [...costs, ...ids] };
}

const alikeIn = (rounds, store, destinations) =>
  rounds.filter((round) => round.store === store && round.destinations === destinations);

const bytesOf = (rounds, store, destinations) =>
  median(alikeIn(rounds, store, destinations).map(({ costs }) => costs.waitingEvent));

function targetsOf(rounds, store) {
  const [one, ten, twenty] = DESTINATIONS.map((destinations) => bytesOf(rounds, store, destinations));
  return [
    atMost(
      `bytes of each further destination that an event waits for, with ${store}`,
      MOST_BYTES_EACH[store],
      (ten - one) / 9,
      '',
    ),
    atMost(`bytes of an event that waits for 20 destinations, with ${store}`, MOST_TIMES_ONE[store], twenty / one),
  ];
}

/** Without a history, the id is all that stays of a message that was delivered. */
async function remembered() {
  const { redis } = await measureOne({ store: ALWAYS, destinations: 1, alive: 1, history: { maxBytes: 0 } });
  return { store: 'redis', destinations: 1, costs: { messageId: redis.memoryBytes } };
}

function tableOf(rounds, stores) {
  const head = ['store, destinations', 'CPU µs per event', 'bytes per event'];
  const body = stores.flatMap((store) =>
    DESTINATIONS.map((destinations) => {
      const alike = alikeIn(rounds, store, destinations);
      return [
        `${store}, ${destinations}`,
        count(median(alike.map(({ cpuMicroseconds }) => cpuMicroseconds))),
        count(bytesOf(rounds, store, destinations)),
      ];
    }),
  );
  return { head, body };
}

/** All destinations are down and their breakers open. */
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
    const waitingEvent = redis
      ? perEvent(before, await redis.usage(), events).memoryBytes
      : (lmdbBytes(folder) - heldBefore) / events;
    return { cpuMicroseconds: cpuMicroseconds / events, costs: { waitingEvent } };
  });
}

async function inService(store, destinations, use) {
  const folder = mkdtempSync(join(tmpdir(), 'eventferry-bench-'));
  const redis = store === LMDB.name ? undefined : await startRedis(folder, ALWAYS.appendfsync);
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
const lmdbBytes = (folder) => statSync(join(folder, 'data', 'data.mdb')).size;
