// What is lost when a program does not close its client: it makes 1,000 events and then comes to its end, or ends itself.
import { eventOf } from '../event.js';
import { runClient, startSink } from '../processes.js';
import { count } from '../report.js';
import { analyticsNode, mixpanel, ours, posthog, rudder, segment, snowplow } from '../rows.js';

const CALLS = 1_000;
const ENDINGS = { 'comes to its end': 'end', 'process.exit()': 'exit' };

export async function inClient(open, { how }) {
  const client = open();
  for (let i = 0; i < CALLS; i++) client.track(eventOf(i));
  if (how === 'exit') process.exit();
  // Nothing of ours keeps the process alive, or ends it, from here on.
  process.removeAllListeners('disconnect');
  process.disconnect();
}

export const title = 'Lost when the process ends';
export const note = `of ${CALLS} events made just before; a client may keep a program that came to its end alive to send them, for 45 s here`;

export async function measure({ progress }) {
  const rows = [ours, segment, posthog, rudder, analyticsNode, mixpanel, snowplow];
  const body = rows.map(({ label }) => [label]);
  for (const [ending, how] of Object.entries(ENDINGS)) {
    progress(ending);
    await Promise.all(rows.map(async (row, index) => body[index].push(count(await lossIn(how, row)))));
  }
  return { tables: [{ head: ['', ...Object.keys(ENDINGS)], body }], targets: [] };
}

async function lossIn(how, row) {
  const sink = await startSink();
  await runClient('exits', row, { url: sink.url, how, timeoutMs: 45_000 });
  const { unique } = await sink.count();
  sink.stop();
  return CALLS - unique;
}
