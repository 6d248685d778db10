// 100,000 calls in one go, and then: does the host's event loop turn freely while they are sent?
import { performance } from 'node:perf_hooks';
import { eventOf } from '../event.js';
import { runClient, startSink } from '../processes.js';
import { count, fixed } from '../report.js';
import { idle, ours, peers } from '../rows.js';
import { inRounds, median } from '../statistics.js';
import { atMost } from '../targets.js';

const CALLS = 100_000;
/** A client whose calls get slower the more wait is stopped, and judged by those it took. */
const LONGEST_BURST_MS = 5_000;
const PAUSE_MS = 10;
/** The calls before the burst, so that the compiler's pauses are not taken for the client's. Every client's queue holds that many. */
const WARM_UP_CALLS = 8_000;
/** How long the idle process is watched, which has nothing to send. */
const IDLE_MS = 500;

export async function inClient(open, { isIdle }) {
  const client = open();
  for (let i = 0; i < WARM_UP_CALLS; i++) client.track(eventOf(i));
  await client.finish();
  const { made, endedAt, ms } = callAll(client);
  let isOver = false;
  const finished = isIdle ? new Promise((resolve) => setTimeout(resolve, IDLE_MS)) : client.finish();
  finished.then(() => {
    isOver = true;
  });
  const gaps = await watch(endedAt, () => isOver);
  return { sentInAll: made + WARM_UP_CALLS, made, usPerCall: (ms * 1000) / made, ...gaps };
}

function callAll(client) {
  const startedAt = performance.now();
  let made = 0;
  while (made < CALLS && (made % 1_000 > 0 || performance.now() - startedAt < LONGEST_BURST_MS)) {
    client.track(eventOf(made++));
  }
  const endedAt = performance.now();
  return { made, endedAt, ms: endedAt - startedAt };
}

/** The times between two turns of the event loop, from the end of the last call on. */
function watch(endedAt, isOver) {
  return new Promise((resolve) => {
    let lastTurn = endedAt;
    let longest = 0;
    let pauses = 0;
    const turn = () => {
      const now = performance.now();
      const gap = now - lastTurn;
      longest = Math.max(longest, gap);
      if (gap > PAUSE_MS) pauses++;
      lastTurn = now;
      if (isOver()) resolve({ longest, pauses, drainMs: now - endedAt });
      else setImmediate(turn);
    };
    setImmediate(turn);
  });
}

export const title = 'A burst of 100,000 calls in one go';
export const note =
  'the longest time between two turns of the event loop, and how many were over 10 ms, after the last call, in a process that has sent 8,000 before';

export async function measure({ isQuick, progress }) {
  const rows = isQuick ? [idle, ours] : [idle, ours, ...peers];
  const sink = await startSink();
  // A peer takes seconds to drain, against which the noise of a round is small.
  const results = await inRounds(rows, 3, async (row, round) => {
    if (round > 0 && peers.includes(row)) return undefined;
    progress(`round ${round + 1}: ${row.label}`);
    await sink.reset();
    const result = await runClient('burst', row, { url: sink.url, isIdle: row === idle, timeoutMs: 120_000 });
    const { unique } = await sink.count();
    return { ...result, lost: row === idle ? 0 : result.sentInAll - unique };
  });
  sink.stop();
  const of = (row, field) => median(results.get(row).flatMap((round) => round?.[field] ?? (round ? Number.NaN : [])));
  const head = ['', 'calls', 'µs a call', 'longest pause, ms', 'pauses over 10 ms', 'drained after, ms', 'lost'];
  const body = rows.map((row) => [
    row.label,
    count(of(row, 'made')),
    fixed(of(row, 'usPerCall')),
    fixed(of(row, 'longest'), 1),
    fixed(of(row, 'pauses'), 0),
    count(of(row, 'drainMs')),
    count(of(row, 'lost')),
  ]);
  return {
    tables: [{ head, body }],
    targets: [atMost('longest pause after the calls', 10, of(ours, 'longest'), 'ms')],
  };
}
