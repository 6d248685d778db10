// How many events a second reach the collector, none lost, and what that costs: a caller makes events as fast as the
// client says it has room, for a fixed time, and then waits until the last one is answered.
import { performance } from 'node:perf_hooks';
import { eventOf } from '../event.js';
import { runClient, startSink } from '../processes.js';
import { count, fixed } from '../report.js';
import {
  limit20,
  limitLarge,
  ours,
  ours20,
  oursGzip,
  oursLarge,
  peers,
  segment,
  segment20,
  tunedPeers,
} from '../rows.js';
import { inRounds, median, medianRatio } from '../statistics.js';
import { atLeast } from '../targets.js';

// What is compared stands side by side, so that it is measured within the same few seconds.
const QUICK = [segment20, ours20, limit20, limitLarge, ours, segment];
const ALL = [...QUICK, oursLarge, oursGzip, ...[...peers, ...tunedPeers].filter((row) => !QUICK.includes(row))];

/** On a slow machine, V8 still compiles a client's code after a second, and that costs half of its rate. */
const WARM_UP_MS = 4_000;

/** A caller asks for room this often; asking before each call would be measuring our question. */
const CALLS_BETWEEN_ROOM = 50;

export async function inClient(open, { warmUpMs, durationMs }) {
  const client = open();
  const call = client.run ? callAlone : callAndWait;
  const warmedUp = await call(client, warmUpMs);
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  const sent = await call(client, durationMs);
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  const peakRssMb = process.resourceUsage().maxRSS / 1024;
  return {
    sentInAll: warmedUp + sent,
    perSecond: sent / seconds,
    cpuSecondsPerMillion: (user + system) / sent,
    peakRssMb,
  };
}

function callAlone(client, durationMs) {
  const end = performance.now() + durationMs;
  return client.run(() => performance.now() > end);
}

let n = 0;

async function callAndWait(client, durationMs) {
  const before = n;
  const end = performance.now() + durationMs;
  while (performance.now() < end) {
    for (let i = 0; i < CALLS_BETWEEN_ROOM; i++) client.track(eventOf(n++));
    await client.room();
  }
  await client.finish();
  return n - before;
}

export const title = 'Throughput';
export const note =
  'events a second until the last one is answered, and CPU seconds of the client for a million events';

export async function measure({ isQuick, progress }) {
  const rows = isQuick ? QUICK : ALL;
  const times = { warmUpMs: WARM_UP_MS, durationMs: isQuick ? 500 : 1_000 };
  const results = await flood(rows, { rounds: isQuick ? 3 : 5, times, progress });
  return { tables: [tableOf(results), limitTableOf(results)], targets: targetsOf(results), chart: chartOf(results) };
}

/** Every row in turn against one sink. `linkMs`: how long the sink takes to answer. */
export async function flood(rows, { rounds, times, progress, linkMs = 0 }) {
  const sink = await startSink();
  await sink.delay(linkMs);
  const results = await inRounds(rows, rounds, async (row, round) => {
    progress(`round ${round + 1}: ${row.label}`);
    await sink.reset();
    const result = await runClient('throughput', row, { url: sink.url, ...times });
    const { requests, events, unique } = await sink.count();
    return { ...result, perRequest: events / requests, lost: result.sentInAll - unique, twice: events - unique };
  });
  sink.stop();
  return results;
}

export const rateOf = (results, row) => results.get(row).map(({ perSecond }) => perSecond);
const cpuOf = (results, row) => results.get(row).map(({ cpuSecondsPerMillion }) => cpuSecondsPerMillion);

export function tableOf(results) {
  const of = (rounds, field) => median(rounds.map((round) => round[field]));
  const head = ['', 'events/s', 'CPU s per million', 'peak RSS', 'events per request', 'lost'];
  const body = [...results].map(([row, rounds]) => [
    row.label,
    count(of(rounds, 'perSecond')),
    of(rounds, 'cpuSecondsPerMillion').toFixed(1),
    `${count(of(rounds, 'peakRssMb'))} MB`,
    count(of(rounds, 'perRequest')),
    lossOf(rounds),
  ]);
  return { head, body };
}

function lossOf(rounds) {
  const failed = rounds.find((round) => round.failed);
  if (failed) return failed.failed;
  return count(rounds.reduce((sum, { lost }) => sum + lost, 0));
}

/** On a busy machine the CPU time is the better witness. */
function limitTableOf(results) {
  const head = ['of the limit with the same batches', 'events/s', 'CPU'];
  const body = [
    [ours20, limit20],
    [ours, limitLarge],
  ].map(([row, limit]) => [
    row.label,
    `${fixed(medianRatio(rateOf(results, row), rateOf(results, limit)))} ×`,
    `${fixed(medianRatio(cpuOf(results, row), cpuOf(results, limit)))} ×`,
  ]);
  return { head, body };
}

function targetsOf(results) {
  const against = (row, other) => medianRatio(rateOf(results, row), rateOf(results, other));
  const cpuAgainst = (row, other) => medianRatio(cpuOf(results, other), cpuOf(results, row));
  const validating = [...results.keys()].filter((row) => row.validates);
  const fastest = validating.toSorted((a, b) => median(rateOf(results, b)) - median(rateOf(results, a)))[0];
  return [
    atLeast('batches of 20, against the limit', 0.85, against(ours20, limit20)),
    // The server, which shares the cores, bounds the rate of requests with 20 events. CPU compares the clients alone.
    atLeast('CPU of @segment/analytics-node with 20, of that of batches of 20', 6, cpuAgainst(ours20, segment20)),
    atLeast('defaults, against the limit with 500 KB batches', 0.75, against(ours, limitLarge)),
    atLeast('defaults, against @segment/analytics-node', 10, against(ours, segment)),
    atLeast(`defaults, against the fastest peer that validates (${fastest.label})`, 4, against(ours, fastest)),
  ];
}

const chartOf = (results) =>
  [...results].map(([row, rounds]) => ({ label: row.label, value: median(rounds.map((r) => r.perSecond)) }));
