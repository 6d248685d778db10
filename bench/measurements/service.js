// What goes through `eventferry serve` in a second, and what it costs: clients on one side, receivers on the other, from the
// client's call to the receiver's answer, with each store, and with one destination that is dead.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { runClient } from '../processes.js';
import { count, fixed } from '../report.js';
import { freePort, isRedisInstalled, startRedis } from '../service/redis.js';
import { costOfBareLoop, PLAIN, SLOW, startReceiver, startService, TLS } from '../service/service.js';
import { inRounds, median, medianRatio } from '../statistics.js';
import { atLeast, atMost } from '../targets.js';

export const LMDB = { name: 'lmdb' };
export const ALWAYS = { name: 'Redis, always', appendfsync: 'always' };

const LINKS = [PLAIN, TLS, SLOW];
const WELL = LINKS.flatMap((link) => [1, 10, 100].map((destinations) => ({ destinations, link })));
const DEAD = ['refuses', 'hangs'].map((dead) => ({ destinations: 100, dead }));
/** Few of very many destinations get an event. */
const QUIET = [{ destinations: 10_000, receiving: 1 }];
const CASES = [...WELL, ...QUIET, ...DEAD];

/** How clients send when they are not busy: a request of 20 events each, and so many of them at a time. */
const MESSAGES = 20;
const concurrencyFor = (receiving) => (receiving < 99 ? 16 : 2);

/** What the warm-up makes of deliveries, and how long a round then takes as far as the warm-up can tell. */
const WARM_UP_DELIVERIES = 15_000;
/** For each destination: one has 64 requests at a time, so one that answers slowly gets few. */
const SLOW_WARM_UP_DELIVERIES = 2_000;
const ROUND_SECONDS = 2;
const ROUNDS = 3;

/** What accepting, storing, signing and recording may cost with the request, by the number of destinations. */
const MOST_TIMES_BARE_LOOP = new Map([
  [LMDB, { 1: 11, 10: 8, 100: 8 }],
  [ALWAYS, { 1: 9, 10: 8, 100: 9.5 }],
]);

/** What the main thread of Redis may take for a delivery, compared with a POST of the bare loop. */
const MOST_TIMES_BARE_LOOP_IN_REDIS = { 1: 2.8, 10: 1.4, 100: 1.4 };

/** Of the bare loop, which one process does alone. */
const BARE_LOOP = { warmUpMs: 1_500, durationMs: 1_500 };

/** Shorter than anybody's, so that requests that hang come to their end many times in a round. */
const HANG_MS = 250;

const POLL_MS = 10;
/** What has not arrived when nothing new came for this long is lost. */
const LOST_MS = 10_000;

export const title = 'The service';
export const note =
  'events from the client’s call to the answer of every receiver that is alive; CPU and memory of the service’s process';

/** Sends the events with the numbers from `first` to before `end`. */
export async function inClient(open, { first, end }) {
  const client = open();
  const startedAt = Date.now();
  const answeredMs = await client.run(first, end);
  await client.close();
  return { startedAt, answeredMs: median(answeredMs) };
}

export async function measure({ progress }) {
  const hasRedis = isRedisInstalled();
  if (!hasRedis) progress('redis-server is not installed: Redis is not measured');
  const rows = [...rowsOf(LMDB, CASES), ...(hasRedis ? rowsOf(ALWAYS, CASES) : [])];
  const loops = [];
  const results = await inRounds(rows, ROUNDS, async (row, round) => {
    loops[round] ??= await bareLoops();
    progress(`round ${round + 1}: ${row.label}`);
    const result = await measureOne(row);
    const each = row.alive * loops[round].get(row.link);
    return {
      ...result,
      timesBareLoop: result.cpuMicroseconds / each,
      redisTimesBareLoop: result.redis && result.redis.mainThreadMicroseconds / each,
    };
  });
  const body = rows.map((row) => cellsOf(row, results.get(row)));
  if (!hasRedis) body.push(['Redis: redis-server is not installed', ...Array(HEAD.length - 1).fill('–')]);
  const bare = LINKS.map((link) => [`a bare loop${link.name}`, fixed(median(loops.map((loop) => loop.get(link))), 1)]);
  return {
    tables: [
      { head: HEAD, body },
      { head: ['what only posts', 'CPU µs per request'], body: bare },
    ],
    targets: targetsOf(rows, results),
    costs: costsOf(rows, results),
  };
}

/** What a POST costs over each link when nobody stores, signs or records it. */
async function bareLoops() {
  const folder = mkdtempSync(join(tmpdir(), 'eventferry-bench-'));
  try {
    const loops = new Map();
    for (const link of LINKS) loops.set(link, await costOfBareLoop(link, folder, BARE_LOOP));
    return loops;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What an event costs when all is well, its deliveries included, as costs.json names it. */
function costsOf(rows, results) {
  const stores = new Map([
    [LMDB, 'lmdb'],
    [ALWAYS, 'redis'],
  ]);
  const well = rows.filter(
    ({ store, link, dead, receiving }) => stores.has(store) && isWell({ link, dead, receiving }),
  );
  return well.flatMap((row) =>
    results.get(row).map(({ perSecond, cpuMicroseconds, bytes, redis }) => ({
      store: stores.get(row.store),
      destinations: row.destinations,
      costs: {
        eventsPerSecond: perSecond,
        nodeEvent: cpuMicroseconds,
        deliveryBytes: bytes,
        ...(redis && {
          redisEvent: redis.mainThreadMicroseconds,
          aofEvent: redis.aofBytes,
        }),
      },
    })),
  );
}

/** The rows of which costs.json tells. */
const isWell = ({ link, dead, receiving }) => link === PLAIN && dead === undefined && receiving === undefined;

const rowsOf = (store, cases) =>
  cases.map(({ destinations, dead, receiving, link = PLAIN }) => ({
    label: `${store.name}, ${count(destinations)}${labelOf({ dead, receiving })}${link.name}`,
    store,
    link,
    destinations,
    dead,
    receiving,
    alive: (receiving ?? destinations) - (dead === undefined ? 0 : 1),
  }));

function labelOf({ dead, receiving }) {
  if (receiving !== undefined) return ` of which ${receiving} gets it`;
  return dead === undefined ? '' : `, one ${dead}`;
}

const HEAD = [
  'store, destinations',
  'events/s',
  'deliveries/s',
  'answered after, ms',
  'CPU µs per event',
  'per delivery',
  '× the bare loop',
  'Redis, µs per delivery',
  'bytes to and from Redis per delivery',
  'append-only bytes per delivery',
  'peak MB',
  'lost',
  'twice',
];

function cellsOf({ label, alive, store }, rounds) {
  const of = (field) => median(rounds.map((round) => round[field]));
  const sum = (field) => rounds.reduce((total, round) => total + round[field], 0);
  return [
    label,
    count(of('perSecond')),
    count(of('perSecond') * alive),
    count(of('answeredMs')),
    count(of('cpuMicroseconds')),
    count(of('cpuMicroseconds') / alive),
    fixed(of('timesBareLoop'), 1),
    store === LMDB ? '' : count(of('redisMicroseconds') / alive),
    store === LMDB ? '' : count(median(rounds.map(({ redis }) => redis.networkBytes)) / alive),
    store === LMDB ? '' : count(of('redisBytes') / alive),
    count(of('peakMb')),
    count(sum('lost')),
    count(sum('twice')),
  ];
}

function targetsOf(rows, results) {
  const lost = rows.flatMap((row) => results.get(row)).reduce((sum, round) => sum + round.lost, 0);
  const paces = (store, destinations, dead) => {
    const found = rows.find((row) => row.store === store && row.destinations === destinations && row.dead === dead);
    return results.get(found).map(({ perSecond }) => perSecond);
  };
  const costs = (store, isRow) =>
    results.get(rows.find((row) => row.store === store && isRow(row))).map(({ cpuMicroseconds }) => cpuMicroseconds);
  const stores = [...new Set(rows.map(({ store }) => store))];
  const kept = stores.flatMap((store) =>
    DEAD.map(({ destinations, dead }) =>
      atLeast(
        `${store.name}: ${destinations} destinations of which one ${dead}, against all well`,
        0.8,
        medianRatio(paces(store, destinations, dead), paces(store, destinations, undefined)),
      ),
    ),
  );
  const ofBareLoop = rows.filter(isWell).map((row) => {
    const times = median(results.get(row).map(({ timesBareLoop }) => timesBareLoop));
    const most = MOST_TIMES_BARE_LOOP.get(row.store)[row.destinations];
    return atMost(`CPU of a delivery, ${row.label}, of a bare loop`, most, times);
  });
  const ofRedis = rows
    .filter((row) => row.store !== LMDB && isWell(row))
    .map((row) => {
      const times = median(results.get(row).map(({ redisTimesBareLoop }) => redisTimesBareLoop));
      const most = MOST_TIMES_BARE_LOOP_IN_REDIS[row.destinations];
      return atMost(`main thread of Redis for a delivery, ${row.label}, of a bare loop`, most, times);
    });
  const quiet = stores.map((store) =>
    atMost(
      `${store.name}: CPU of an event with 10,000 destinations of which one gets it, against one destination`,
      1.3,
      medianRatio(
        costs(store, ({ receiving }) => receiving !== undefined),
        costs(store, (row) => isWell(row) && row.destinations === 1),
      ),
    ),
  );
  return [atMost('events lost by the service', 0, lost, 'events'), ...kept, ...ofBareLoop, ...ofRedis, ...quiet];
}

/** Of one round: a service of its own, with a store of its own. */
export async function measureOne(row) {
  const folder = mkdtempSync(join(tmpdir(), 'eventferry-bench-'));
  let redis, receiver, service;
  try {
    redis = row.store === LMDB ? undefined : await startRedis(folder, row.store.appendfsync);
    receiver = await startReceiver(row.link, folder);
    const config = await configOf(row, receiver.url, redis?.url);
    service = await startService(folder, config, `service-${row.label}`, [], receiver.env);
    return await through({ row, service, receiver, redis });
  } finally {
    await service?.stop();
    receiver?.stop();
    await redis?.stop();
    rmSync(folder, { recursive: true });
  }
}

export async function configOf({ destinations, receiving, dead, history }, receiver, redis) {
  const deadUrl = dead === 'hangs' ? `${receiver}/hang` : `http://127.0.0.1:${await freePort()}/`;
  const all = Array.from({ length: destinations }, (_, number) => {
    const isDead = dead !== undefined && number === destinations - 1;
    return {
      name: `d${number}`,
      type: 'Webhooks',
      sharedSecret: 'shhh',
      allowLoopback: true,
      webhooks: [isDead ? { url: deadUrl, requestTimeout: HANG_MS } : { url: `${receiver}/${number}` }],
    };
  });
  return {
    listen: { port: 0 },
    log: { level: 'error' },
    store: redis === undefined ? { type: 'lmdb', path: 'data' } : { type: 'redis', url: redis },
    sources: [{ name: 'bench', writeKeys: ['bench'], destinations: all.slice(0, receiving).map(({ name }) => name) }],
    destinations: all,
    // A service with more than ten destinations has to name those that get audiences.
    audiences: { destinations: [] },
    ...(history && { history }),
  };
}

async function through({ row, service, receiver, redis }) {
  const mostWarmUp = row.link === SLOW ? SLOW_WARM_UP_DELIVERIES * row.alive : WARM_UP_DELIVERIES;
  const warmUpDeliveries = Math.min(WARM_UP_DELIVERIES, mostWarmUp);
  const warmUp = await send({ row, service, receiver }, 0, Math.ceil(warmUpDeliveries / row.alive));
  await service.reset();
  const redisBefore = redis?.cpuMicroseconds();
  const bytesBefore = redis?.appendOnlyBytes();
  const usageBefore = await redis?.usage();
  const amount = MESSAGES * Math.ceil((warmUp.perSecond * ROUND_SECONDS) / MESSAGES);
  const sent = await send({ row, service, receiver }, warmUp.end, amount);
  const { cpuMicroseconds, peakMb } = await service.cost();
  return {
    ...sent,
    lost: warmUp.lost + sent.lost,
    bytes: (sent.bytes - warmUp.bytes) / amount,
    cpuMicroseconds: cpuMicroseconds / amount,
    redisMicroseconds: (redis?.cpuMicroseconds() - redisBefore) / amount,
    redisBytes: (redis?.appendOnlyBytes() - bytesBefore) / amount,
    redis: redis && perEvent(usageBefore, await redis.usage(), amount),
    peakMb,
  };
}

export const perEvent = (before, after, events) =>
  Object.fromEntries(Object.entries(after).map(([name, value]) => [name, (value - before[name]) / events]));

/** Resolves when each event came to everybody who is alive, or nothing comes any more. */
async function send({ row, service, receiver }, first, amount) {
  const end = first + amount;
  const settings = { messages: MESSAGES, concurrency: concurrencyFor(row.alive) };
  const client = { client: 'acknowledged', label: 'service-client', settings };
  const told = await runClient('service', client, { url: service.url, first, end });
  if (told.failed !== undefined) throw new Error(`the client ended: ${told.failed}`);
  const { unique, twice, lastAt, bytes } = await allOf(end * row.alive, receiver);
  return {
    answeredMs: told.answeredMs,
    end,
    twice,
    bytes,
    lost: end * row.alive - unique,
    perSecond: (end - first) / ((lastAt - told.startedAt) / 1_000),
  };
}

async function allOf(expected, receiver) {
  const askedAt = Date.now();
  for (;;) {
    const counted = await receiver.count();
    const quietMs = Date.now() - Math.max(askedAt, counted.lastAt);
    if (counted.unique >= expected || quietMs > LOST_MS) return counted;
    await delay(POLL_MS);
  }
}
