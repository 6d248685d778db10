// The same as throughput, over a link that takes 50 ms to answer: what counts here is how much a request carries and how
// many are under way.
import { limitLarge, limitLarge4, mixpanel20, ours, ours4, posthog, rudder, segmentOpen, snowplow } from '../rows.js';
import { medianRatio } from '../statistics.js';
import { atLeast } from '../targets.js';
import { flood, rateOf, tableOf } from './throughput.js';

const LINK_MS = 50;

export const title = 'Throughput over a link that answers after 50 ms';
export const note = 'eventferry keeps the order of the calls with one request at a time, and gives it up with more';

export async function measure({ isQuick, progress }) {
  const rows = [ours, ours4, segmentOpen];
  if (!isQuick) rows.push(limitLarge, limitLarge4, posthog, rudder, mixpanel20, snowplow);
  const times = isQuick ? { warmUpMs: 300, durationMs: 800 } : { warmUpMs: 500, durationMs: 1_500 };
  const results = await flood(rows, { rounds: isQuick ? 1 : 3, times, progress, linkMs: LINK_MS });
  const against = (row) => medianRatio(rateOf(results, row), rateOf(results, segmentOpen));
  const targets = [
    atLeast('one request at a time, against @segment/analytics-node', 2, against(ours)),
    atLeast('concurrency 4, against @segment/analytics-node', 8, against(ours4)),
  ];
  return { tables: [tableOf(results)], targets };
}
