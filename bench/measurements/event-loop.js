// How long the host's event loop is held up while it makes 5,000 events a second, as it would be in a busy server.
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { eventOf } from '../event.js';
import { runClient, startSink } from '../processes.js';
import { fixed } from '../report.js';
import { idle, ours, peers } from '../rows.js';
import { inRounds, median, medianRatio } from '../statistics.js';
import { atMost } from '../targets.js';

const EVENTS_PER_MS = 5;
/** A busy server has run for a while: V8 has compiled what the events pass after some 100,000 of them, on a slow machine too. */
const WARM_UP_MS = 8_000;
const WARM_UP_EVENTS_PER_MS = 20;
const SETTLE_MS = 500;
/** A client that cannot keep up makes ever more events in one turn, and has no end. */
const TIMEOUT_MS = 30_000;

export async function inClient(open, { durationMs }) {
  const client = open();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  await warmUp(client);
  const startedAt = performance.now();
  let sent = 0;
  // The idle process has this timer too.
  const timer = setInterval(() => {
    const due = (performance.now() - startedAt) * EVENTS_PER_MS;
    while (sent < due) client.track(eventOf(sent++));
  }, 1);
  await setTimeout(SETTLE_MS);
  delay.enable();
  const cpuBefore = process.cpuUsage();
  await setTimeout(durationMs);
  delay.disable();
  const { user, system } = process.cpuUsage(cpuBefore);
  clearInterval(timer);
  const cpuPercent = (user + system) / (durationMs * 10);
  return { p50: delay.percentile(50) / 1e6, p99: delay.percentile(99) / 1e6, max: delay.max / 1e6, cpuPercent };
}

/** Makes none of the events for which a turn came too late. */
async function warmUp(client) {
  let made = 0;
  const timer = setInterval(() => {
    for (let event = 0; event < WARM_UP_EVENTS_PER_MS; event++) client.track(eventOf(made++));
  }, 1);
  await setTimeout(WARM_UP_MS);
  clearInterval(timer);
  await client.finish();
}

export const title = 'The event loop at 5,000 events a second';
export const note =
  'time between two turns of a 1 ms timer, in milliseconds, and the share of a core the process takes; medians of the rounds';

export async function measure({ isQuick, progress }) {
  const rows = isQuick ? [idle, ours] : [idle, ours, ...peers];
  const sink = await startSink();
  const results = await inRounds(rows, 3, async (row, round) => {
    progress(`round ${round + 1}: ${row.label}`);
    const result = await runClient('event-loop', row, {
      url: sink.url,
      timeoutMs: TIMEOUT_MS,
      durationMs: isQuick ? 1_000 : 2_500,
    });
    await sink.reset();
    return result;
  });
  sink.stop();
  const fieldOf = (row, field) => results.get(row).map((round) => round[field]);
  const head = ['', 'p50', 'p99', 'max', 'CPU'];
  const body = rows.map((row) => [
    row.label,
    ...['p50', 'p99', 'max'].map((field) => fixed(median(fieldOf(row, field)))),
    `${fixed(median(fieldOf(row, 'cpuPercent')), 1)} %`,
  ]);
  const ratio = medianRatio(fieldOf(ours, 'p99'), fieldOf(idle, 'p99'));
  return { tables: [{ head, body }], targets: [atMost('p99 delay, against an idle process', 1.5, ratio)] };
}
