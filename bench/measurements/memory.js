// What a waiting message costs: the collector never answers, and the heap is read before and after.
import { setTimeout } from 'node:timers/promises';
import { eventOf, MESSAGE_BYTES } from '../event.js';
import { runClient, startSink } from '../processes.js';
import { count, fixed } from '../report.js';
import { ours, peers, rudder } from '../rows.js';
import { median } from '../statistics.js';
import { atMost } from '../targets.js';

/** As many as posthog-node keeps before it drops. */
const CALLS = 10_000;
/** Its calls write the whole queue as JSON each time: more would take minutes. */
const FEW_CALLS = new Map([[rudder, 2_000]]);
const MOST_BYTES = 1.5 * MESSAGE_BYTES + 200;

export async function inClient(open, { calls }) {
  const client = open();
  for (let i = 0; i < 50; i++) client.track(eventOf(i));
  await setTimeout(200);
  const before = usedBytes();
  for (let i = 0; i < calls; i++) client.track(eventOf(i));
  await setTimeout(200);
  return { bytesPerMessage: (usedBytes() - before) / calls };
}

function usedBytes() {
  for (let i = 0; i < 3; i++) globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

export const title = 'Memory of a waiting message';
export const note = `a message is ${MESSAGE_BYTES} bytes as JSON; heap and buffers, after garbage collection`;

export async function measure({ isQuick, progress }) {
  const rows = isQuick ? [ours] : [ours, ...peers];
  const bytesOf = new Map();
  for (const row of rows) {
    progress(row.label);
    bytesOf.set(row, median(await repeat(3, () => measureOnce(row))));
  }
  const head = ['', 'bytes a message', 'calls'];
  const body = rows.map((row) => [row.label, count(bytesOf.get(row)), count(FEW_CALLS.get(row) ?? CALLS)]);
  const what = `bytes of a waiting message, against 1.5 × its JSON + 200 = ${fixed(MOST_BYTES, 0)}`;
  return { tables: [{ head, body }], targets: [atMost(what, 1, bytesOf.get(ours) / MOST_BYTES)] };
}

async function measureOnce(row) {
  const sink = await startSink();
  await sink.fault('hang');
  const calls = FEW_CALLS.get(row) ?? CALLS;
  const { bytesPerMessage } = await runClient('memory', row, { url: sink.url, calls, flags: ['--expose-gc'] });
  sink.stop();
  return bytesPerMessage ?? Number.NaN;
}

async function repeat(times, measureIt) {
  const results = [];
  for (let i = 0; i < times; i++) results.push(await measureIt());
  return results;
}
