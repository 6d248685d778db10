// What the diagnostics channels cost: against the same client on a runtime that has none, with no subscriber and with one. The rows
// take turns, and the best of each is compared: what else the machine does only makes a round worse.
import { performance } from 'node:perf_hooks';
import { eventOf } from '../event.js';
import { runClient, startSink } from '../processes.js';
import { fixed } from '../report.js';
import { channelsAccepted, channelsAll, channelsHidden, channelsUnheard } from '../rows.js';
import { inRounds } from '../statistics.js';
import { atMost } from '../targets.js';

const CALLS = 2_000;
const WARM_UP_TURNS = 20;
const ROWS = [channelsHidden, channelsUnheard, channelsAccepted, channelsAll];

export async function inClient(open, { turns }) {
  const client = open();
  let [callUs, cpuUs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let turn = 0; turn < turns + WARM_UP_TURNS; turn++) {
    const events = Array.from({ length: CALLS }, (_, n) => eventOf(n));
    const cpuBefore = process.cpuUsage();
    const startedAt = performance.now();
    for (const event of events) client.track(event);
    const ms = performance.now() - startedAt;
    await client.finish();
    const { user, system } = process.cpuUsage(cpuBefore);
    if (turn < WARM_UP_TURNS) continue;
    callUs = Math.min(callUs, (ms * 1_000) / CALLS);
    cpuUs = Math.min(cpuUs, (user + system) / CALLS);
  }
  return { callUs, cpuUs };
}

export const title = 'Diagnostics channels';
export const note = 'a call, and all CPU of a message from the call until it is delivered; the best turn of all rounds';

export async function measure({ isQuick, progress }) {
  const sink = await startSink();
  const results = await inRounds(ROWS, isQuick ? 3 : 5, async (row, round) => {
    progress(`round ${round + 1}: ${row.label}`);
    const result = await runClient('channels', row, { url: sink.url, turns: isQuick ? 40 : 100 });
    await sink.reset();
    return result;
  });
  sink.stop();
  const best = (row, field) => Math.min(...results.get(row).map((round) => round[field]));
  const ratio = (row, of, field) => best(row, field) / best(of, field);
  return {
    tables: [
      {
        head: ['', 'µs a call', 'against without', 'µs of CPU a message', 'against without'],
        body: ROWS.map((row) => [
          row.label,
          fixed(best(row, 'callUs')),
          `${fixed(ratio(row, channelsHidden, 'callUs'))} ×`,
          fixed(best(row, 'cpuUs')),
          `${fixed(ratio(row, channelsHidden, 'cpuUs'))} ×`,
        ]),
      },
    ],
    targets: [
      atMost(
        'channels without subscribers, a call against none',
        1.05,
        ratio(channelsUnheard, channelsHidden, 'callUs'),
      ),
      atMost(
        'a subscriber of accepted messages, a call against none',
        1.25,
        ratio(channelsAccepted, channelsHidden, 'callUs'),
      ),
    ],
  };
}
