// What the journal costs, against the same client without it, and how long a large journal takes to open and to deliver. The
// rows of a pair take turns, and the best of each is compared: what else the machine does only makes a round worse.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventOf } from '../event.js';
import { runClient, startSink } from '../processes.js';
import { count, fixed } from '../report.js';
import { journal20, journalCall, journalLarge, journalMachine, ours, ours20, oursLarge } from '../rows.js';
import { inRounds } from '../statistics.js';
import { atLeast, atMost } from '../targets.js';
import { inClient as callInClient } from './call.js';
import { flood, rateOf } from './throughput.js';

const PAIRS = [
  { what: 'batches of 20', without: ours20, with: journal20, least: 0.6 },
  { what: '500 KB batches', without: oursLarge, with: journalLarge, least: 0.75 },
];

/** Callers that each wait for one message to be stored before they track the next. */
const CALLERS = 2_000;

export const title = 'The journal';
export const note =
  'the same client without a journal and with one, in turns; the best round of each, where the table of throughput has the median of other rounds';

const IN_CLIENT = { call: callInClient, machine: storeInTurns, leave, open: openAndDeliver };

export const inClient = (open, { part, ...job }) => IN_CLIENT[part](open, job);

export async function measure({ isQuick, progress }) {
  const throughput = await measureThroughput(isQuick, progress);
  const calls = await measureCalls(isQuick, progress);
  progress('durability machine');
  const machine = await measureMachine(isQuick);
  const left = isQuick ? 200_000 : 1_000_000;
  progress(`a journal with ${count(left)} messages`);
  const opened = await measureOpening(left);
  return {
    tables: [
      { head: ['', 'events/s without', 'events/s with', 'ratio'], body: throughput.map(rowOfRates) },
      {
        head: ['', 'measured'],
        body: [
          ['a call without, µs', fixed(calls.without)],
          ['a call with, µs', fixed(calls.with)],
          [`stored a second with durability machine, ${count(CALLERS)} callers`, count(machine)],
          [`a journal with ${count(left)} messages: first call stored after, ms`, fixed(opened.firstCallMs, 0)],
          ['all delivered after, s', fixed(opened.deliveredMs / 1_000, 1)],
          ['peak RSS meanwhile, MB', count(opened.peakRssMb)],
        ],
      },
    ],
    targets: [
      ...throughput.map(({ what, least, ratio }) => atLeast(`journal, ${what}, against without`, least, ratio)),
      atMost('journal, a call against one without', 1.05, calls.with / calls.without),
      atLeast('journal, stored with durability machine', 20_000, machine, 'a second'),
      atMost('journal that holds a million messages: first call', 100, opened.firstCallMs, 'ms'),
      atMost('journal that holds a million messages: peak RSS in 150 MB', 1, opened.peakRssMb / 150),
      atMost('journal that holds a million messages: not delivered', 0, opened.missing, 'messages'),
    ],
  };
}

const rowOfRates = ({ what, without, with: withIt, ratio }) => [
  what,
  count(without),
  count(withIt),
  `${fixed(ratio)} ×`,
];

async function measureThroughput(isQuick, progress) {
  const rows = PAIRS.flatMap(({ without, with: withIt }) => [without, withIt]);
  const times = { warmUpMs: 2_500, durationMs: isQuick ? 500 : 1_000 };
  const results = await flood(rows, { rounds: isQuick ? 5 : 7, times, progress });
  const best = (row) => Math.max(...rateOf(results, row));
  return PAIRS.map(({ what, least, without, with: withIt }) => ({
    what,
    least,
    without: best(without),
    with: best(withIt),
    ratio: best(withIt) / best(without),
  }));
}

async function measureCalls(isQuick, progress) {
  const sink = await startSink();
  const rows = [ours, journalCall];
  const results = await inRounds(rows, isQuick ? 3 : 5, async (row, round) => {
    progress(`a call, round ${round + 1}: ${row.label}`);
    const { leastUs } = await runClient('journal', row, { url: sink.url, part: 'call', calls: 2_000, turns: 60 });
    await sink.reset();
    return leastUs;
  });
  sink.stop();
  const [without, withIt] = rows.map((row) => Math.min(...results.get(row)));
  return { without, with: withIt };
}

async function measureMachine(isQuick) {
  const sink = await startSink();
  const job = { url: sink.url, part: 'machine', durationMs: isQuick ? 1_000 : 3_000 };
  const rates = [];
  for (let round = 0; round < 3; round++) rates.push((await runClient('journal', journalMachine, job)).perSecond);
  sink.stop();
  return Math.max(...rates);
}

async function storeInTurns(open, { durationMs }) {
  const client = open();
  let stored = 0;
  let n = 0;
  const end = performance.now() + durationMs;
  const caller = async () => {
    for (; performance.now() < end; stored++) await client.track(eventOf(n++)).stored;
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return { perSecond: (stored / durationMs) * 1_000 };
}

/** One process fills a journal while its collector is silent, the next one opens it. */
async function measureOpening(messages) {
  const sink = await startSink();
  const path = mkdtempSync(join(tmpdir(), 'eventferry-bench-'));
  const row = { label: 'a large journal', client: 'eventferry', settings: { journal: path } };
  await runClient('journal', row, { url: 'http://127.0.0.1:9', part: 'leave', messages });
  const opened = await runClient('journal', row, { url: sink.url, part: 'open' });
  const { unique } = await sink.count();
  sink.stop();
  rmSync(path, { recursive: true, force: true });
  // The first call of the one that opens it is delivered too.
  return { ...opened, missing: messages + 1 - unique };
}

async function leave(open, { messages }) {
  const client = open();
  for (let n = 0; n < messages; ) {
    for (let i = 0; i < 1_000; i++) client.track(eventOf(n++));
    await new Promise(setImmediate);
  }
  await client.close({ timeout: 0 });
  return {};
}

async function openAndDeliver(open) {
  const startedAt = performance.now();
  const client = open();
  await client.track(eventOf(0)).stored;
  const firstCallMs = performance.now() - startedAt;
  await client.finish();
  return {
    firstCallMs,
    deliveredMs: performance.now() - startedAt,
    peakRssMb: process.resourceUsage().maxRSS / 1024,
  };
}
