// Deliveries a second from the call to the recorded end, one endpoint on loopback, and what one endpoint that hangs takes
// from four others. Each store in a process of its own.
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
  'signed, stored, sent and recorded; the last column is what four endpoints keep of their pace when a fifth hangs';

export async function measure({ isQuick, progress }) {
  const results = [];
  for (const [store, least] of STORES) {
    progress(`${store}: throughput`);
    const pace = await run('throughput', store, ...(isQuick ? [10_000, 3] : [50_000, 7]));
    progress(`${store}: isolation`);
    const isolation = await run('isolation', store, ...(isQuick ? [5_000, 1] : [30_000, 5]));
    results.push({ store, least, ...pace, kept: isolation.kept });
  }
  const head = ['store', 'deliveries/s', 'µs of CPU each', 'lost', 'kept beside one that hangs'];
  const body = results.map(({ store, perSecond, cpuMicroseconds, lost, kept }) => [
    store,
    count(perSecond),
    count(cpuMicroseconds),
    count(lost),
    `${fixed(kept)} ×`,
  ]);
  const targets = results.flatMap(({ store, least, perSecond, kept }) => [
    atLeast(`deliveries with ${store}`, least, perSecond, 'a second'),
    atLeast(`four endpoints beside one that hangs, with ${store}`, 0.95, kept),
  ]);
  return { tables: [{ head, body }], targets };
}

async function run(script, store, amount, rounds) {
  const path = fileURLToPath(new URL(`../destination/${script}.ts`, import.meta.url));
  const { stdout } = await runScript(['--import', 'tsx', path, store, String(amount), String(rounds), '--json']);
  return JSON.parse(stdout);
}
