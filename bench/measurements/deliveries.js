// Deliveries a second from the call to the recorded end, one endpoint on loopback; what one endpoint that hangs takes
// from four others; then what order within each of 1,000 users takes from the pace. Each store in a process of its own.
import { fileURLToPath } from 'node:url';
import { runScript } from '../processes.js';
import { count, fixed } from '../report.js';
import { atLeast } from '../targets.js';

const STORES = [
  ['memory', 10_000],
  ['lmdb', 5_000],
];

export const title = 'Deliveries';
export const note =
  'signed, stored, sent and recorded; the last columns are what four endpoints keep of their pace when a fifth hangs, and what one keeps with `ordered: user`';

export async function measure({ isQuick, progress }) {
  const results = [];
  for (const [store, least] of STORES) {
    progress(`${store}: throughput`);
    const pace = await run('throughput', store, ...(isQuick ? [10_000, 3] : [30_000, 5]));
    progress(`${store}: isolation`);
    const isolation = await run('isolation', store, ...(isQuick ? [5_000, 1] : [10_000, 3]));
    progress(`${store}: order`);
    const order = await run('order', store, ...(isQuick ? [5_000, 3] : [10_000, 5]));
    results.push({ store, least, ...pace, kept: isolation.kept, keptInOrder: order.kept });
  }
  const head = [
    'store',
    'deliveries/s',
    'µs of CPU each',
    'lost',
    'kept beside one that hangs',
    'kept in order by user',
  ];
  const body = results.map(({ store, perSecond, cpuMicroseconds, lost, kept, keptInOrder }) => [
    store,
    count(perSecond),
    count(cpuMicroseconds),
    count(lost),
    `${fixed(kept)} ×`,
    `${fixed(keptInOrder)} ×`,
  ]);
  const targets = results.flatMap(({ store, least, perSecond, kept, keptInOrder }) => [
    atLeast(`deliveries with ${store}`, least, perSecond, 'a second'),
    atLeast(`four endpoints beside one that hangs, with ${store}`, 0.95, kept),
    atLeast(`deliveries in order by user of those by default, with ${store}`, 0.8, keptInOrder),
  ]);
  return { tables: [{ head, body }], targets };
}

async function run(script, store, amount, rounds) {
  const path = fileURLToPath(new URL(`../destination/${script}.ts`, import.meta.url));
  const { stdout } = await runScript(['--import', 'tsx', path, store, String(amount), String(rounds), '--json']);
  return JSON.parse(stdout);
}
