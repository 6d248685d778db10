/**
 * Deliveries per second to one fast endpoint on loopback, from the call of `deliver` to the recorded end.
 *
 *     npx tsx bench/destination/throughput.ts [memory|lmdb] [deliveries] [rounds]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Destination, lmdbStore, memoryStore } from '../../src/destination/index.js';
import { median, report, sampleMessage } from './sample.js';
import { startSink } from './sink-process.js';

const [storeName = 'memory', deliveries = '50000', rounds = '7'] = process.argv.slice(2);
const count = Number(deliveries);

const path = mkdtempSync(join(tmpdir(), 'eventferry-bench-'));
const store = storeName === 'lmdb' ? await lmdbStore({ path }) : memoryStore();
const sink = await startSink();
const destination = await Destination.open({
  webhooks: [{ url: `${sink.origin}/hook` }],
  sharedSecret: 'shhh',
  allowLoopback: true,
  store,
});

/** As many callers as wait for their message to be stored. */
const CALLERS = 256;

async function round(number: number): Promise<number> {
  const startedAt = performance.now();
  let next = 0;
  const caller = async (): Promise<void> => {
    while (next < count) await destination.deliver(sampleMessage(`${number}-${next++}`));
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  await destination.idle();
  return count / ((performance.now() - startedAt) / 1_000);
}

await round(0);
const cpuBefore = process.cpuUsage();
const rates: number[] = [];
for (let number = 1; number <= Number(rounds); number++) rates.push(await round(number));
const cpu = process.cpuUsage(cpuBefore);

const { delivered, attempts } = destination.counters();
const all = count * (Number(rounds) + 1);
const perSecond = Math.round(median(rates));
const cpuMicroseconds = (cpu.user + cpu.system) / (count * Number(rounds));
report(
  [
    `${storeName}: median ${perSecond}/s, from ${Math.round(Math.min(...rates))} to ${Math.round(Math.max(...rates))};`,
    `${cpuMicroseconds.toFixed(0)} µs of CPU each;`,
    `${delivered} of ${all} delivered in ${attempts} attempts; the sink took ${await sink.taken()}`,
  ].join(' '),
  { perSecond, cpuMicroseconds, lost: all - delivered },
);
await destination.close();
sink.stop();
rmSync(path, { recursive: true });
