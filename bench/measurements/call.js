// What a call costs the one who makes it, in time on the caller's thread, against writing the same message as JSON. Short
// turns, one after the other, so that what else the machine does hits both alike.
import { performance } from 'node:perf_hooks';
import { eventOf, messageOf } from '../event.js';
import { runClient, startSink } from '../processes.js';
import { fixed } from '../report.js';
import { analyticsNode, mixpanel, ours, posthog, rudder, segment, snowplow } from '../rows.js';
import { inRounds, median, medianRatio } from '../statistics.js';
import { atMost } from '../targets.js';

const CALLS = 2_000;
/** Its calls write the whole queue as JSON each time, so a turn must be short to end at all. */
const FEW_CALLS = new Map([[rudder, 100]]);
const WARM_UP_TURNS = 10;
/** A client that does not send all that waits when it is asked to has no end. */
const TIMEOUT_MS = 45_000;

export async function inClient(open, { calls, turns }) {
  const client = open();
  const numbers = Array.from({ length: calls }, (_, i) => i);
  const callUs = [];
  const stringifyUs = [];
  for (let turn = 0; turn < turns + WARM_UP_TURNS; turn++) {
    const events = numbers.map(eventOf);
    const messages = numbers.map(messageOf);
    const called = microsecondsEach(events, client.track);
    const stringified = microsecondsEach(messages, JSON.stringify);
    await client.finish();
    if (turn < WARM_UP_TURNS) continue;
    callUs.push(called);
    stringifyUs.push(stringified);
  }
  const leastUs = Math.min(...callUs);
  return { callUs: median(callUs), leastUs, stringifyUs: median(stringifyUs), ratio: medianRatio(callUs, stringifyUs) };
}

function microsecondsEach(items, use) {
  const startedAt = performance.now();
  for (const item of items) use(item);
  return ((performance.now() - startedAt) * 1000) / items.length;
}

export const title = 'A call';
export const note = `time until a call returns, in bursts of ${CALLS}; what the client does later is not in it`;

export async function measure({ isQuick, progress }) {
  const rows = isQuick ? [ours] : [ours, segment, posthog, rudder, analyticsNode, mixpanel, snowplow];
  const sink = await startSink();
  const results = await inRounds(rows, isQuick ? 1 : 3, async (row, round) => {
    progress(`round ${round + 1}: ${row.label}`);
    const turns = row === ours ? 100 : 20;
    const calls = FEW_CALLS.get(row) ?? CALLS;
    const result = await runClient('call', row, { url: sink.url, calls, turns, timeoutMs: TIMEOUT_MS });
    await sink.reset();
    return result;
  });
  sink.stop();
  const of = (row, field) => median(results.get(row).map((round) => round[field]));
  const head = ['', 'µs a call', 'µs JSON.stringify', 'ratio'];
  const body = rows.map((row) => [
    row.label,
    fixed(of(row, 'callUs')),
    fixed(of(row, 'stringifyUs')),
    `${fixed(of(row, 'ratio'))} ×`,
  ]);
  return { tables: [{ head, body }], targets: [atMost('a call, against JSON.stringify', 2, of(ours, 'ratio'))] };
}
