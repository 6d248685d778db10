// What is lost when the collector fails for ten seconds, while the program goes on making events and then closes its
// client as its documentation says. All clients at once, each with a sink of its own.
import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { eventOf } from '../event.js';
import { runClient, startSink } from '../processes.js';
import { count } from '../report.js';
import { analyticsNode, mixpanel, ours, posthog, rudder, segment, snowplow } from '../rows.js';

const FAULTS = ['down', '503', '429', 'reset', 'hang'];
const BEFORE_MS = 2_500;
const FAULT_MS = 10_000;
const MADE_FOR_MS = 15_000;
const EVENTS_PER_MS = 0.1;
/** Every client comes to the end of its close by then; what is not over is marked. */
const CLOSE_WITHIN_MS = 90_000;

export async function inClient(open) {
  const client = open();
  const startedAt = performance.now();
  let made = 0;
  for (let elapsed = 0; elapsed < MADE_FOR_MS; elapsed = performance.now() - startedAt) {
    while (made < elapsed * EVENTS_PER_MS) client.track(eventOf(made++));
    await setTimeout(10);
  }
  const closed = Promise.resolve(client.close()).then(
    () => 'closed',
    () => 'closed',
  );
  const isClosed = (await Promise.race([closed, setTimeout(CLOSE_WITHIN_MS, 'not yet')])) === 'closed';
  return { made, isClosed };
}

export const title = 'Lost in a fault';
export const note =
  'of the events made at 100/s for 15 s, 10 s of them with the collector down (nobody listens), answering 503, answering 429 with Retry-After: 1, resetting connections, or not answering until it closes the connections; each client then closes as its documentation says, and is given 90 s for it; † not done by then';

export async function measure({ progress }) {
  const rows = [ours, segment, posthog, rudder, analyticsNode, mixpanel, snowplow];
  const lossesOf = new Map(rows.map((row) => [row, []]));
  for (const fault of FAULTS) {
    progress(fault);
    await Promise.all(rows.map(async (row) => lossesOf.get(row).push(await lossIn(fault, row))));
  }
  return {
    tables: [{ head: ['', ...FAULTS], body: [...lossesOf].map(([row, cells]) => [row.label, ...cells]) }],
    targets: [],
  };
}

async function lossIn(fault, row) {
  const sink = await startSink();
  const running = runClient('faults', row, { url: sink.url, timeoutMs: 150_000 });
  await setTimeout(BEFORE_MS);
  await sink.fault(fault);
  await setTimeout(FAULT_MS);
  await sink.fault('none');
  const { made, isClosed, failed } = await running;
  const { events, unique } = await sink.count();
  sink.stop();
  if (failed) return failed;
  const twice = events > unique ? `, ${count(events - unique)} twice` : '';
  return `${count(made - unique)} of ${count(made)}${twice}${isClosed ? '' : ' †'}`;
}
