// 5,000,000 events from one process that waits for `ready()`: does its memory stay flat?
import { eventOf } from '../event.js';
import { runClient, startSink } from '../processes.js';
import { count } from '../report.js';
import { ours } from '../rows.js';
import { atMost } from '../targets.js';

const EVENTS = 5_000_000;
const EVENTS_PER_SAMPLE = 100_000;
const CALLS_BETWEEN_READY = 50;

export async function inClient(open) {
  const client = open();
  const rssMb = [];
  for (let n = 0; n < EVENTS; n++) {
    if (n % CALLS_BETWEEN_READY === 0) await client.room();
    if (n % EVENTS_PER_SAMPLE === 0) rssMb.push(process.memoryUsage.rss() / 2 ** 20);
    client.track(eventOf(n));
  }
  await client.finish();
  return { rssMb };
}

export const title = 'Memory over 5,000,000 events';
export const note = 'resident set of a process that awaits `ready()`, sampled every 100,000 events';

export async function measure({ progress }) {
  progress(ours.label);
  const sink = await startSink();
  const { rssMb } = await runClient('soak', ours, { url: sink.url, timeoutMs: 300_000 });
  const { unique } = await sink.count();
  sink.stop();
  // The first fifth is the heap finding its size.
  const [early, late] = [rssMb.slice(10, 30), rssMb.slice(30)].map((samples) => Math.max(...samples));
  const head = ['', 'peak from 1 to 3 million', 'peak from 3 to 5 million', 'arrived'];
  const body = [[ours.label, `${count(early)} MB`, `${count(late)} MB`, count(unique)]];
  return {
    tables: [{ head, body }],
    targets: [atMost('peak RSS from 3 to 5 million events, against 1 to 3 million', 1.1, late / early)],
  };
}
