/**
 * What `ordered: 'user'` costs: deliveries per second of 1,000 users to one fast endpoint, without it and with it, in turns.
 *
 *     npx tsx bench/destination/order.ts [memory|lmdb] [deliveries] [rounds]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Destination, lmdbStore, memoryStore } from '../../src/destination/index.js';
import { median, report, sampleMessage } from './sample.js';
import { startSink } from './sink-process.js';

const [storeName = 'memory', deliveries = '20000', rounds = '7'] = process.argv.slice(2);
const count = Number(deliveries);
const CALLERS = 256;
const USERS = 1_000;
const sink = await startSink();

interface Pace {
  /** Deliveries, from the call of `deliver` to the recorded end. */
  perSecond: number;
  cpuMicroseconds: number;
}

async function measure(ordered?: 'user'): Promise<Pace> {
  const path = mkdtempSync(join(tmpdir(), 'eventferry-bench-'));
  const store = storeName === 'lmdb' ? await lmdbStore({ path }) : memoryStore();
  const destination = await Destination.open({
    webhooks: [{ url: `${sink.origin}/hook` }],
    sharedSecret: 'shhh',
    allowLoopback: true,
    store,
    ...(ordered && { ordered }),
  });
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  let next = 0;
  const caller = async (): Promise<void> => {
    while (next < count) {
      const number = next++;
      await destination.deliver({ ...sampleMessage(`m${number}`), userId: `user-${number % USERS}` });
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  await destination.idle();
  const perSecond = count / ((performance.now() - startedAt) / 1_000);
  const { user, system } = process.cpuUsage(cpuBefore);
  await destination.close();
  rmSync(path, { recursive: true });
  return { perSecond, cpuMicroseconds: (user + system) / count };
}

await measure();
await measure('user');
const pairs: [byDefault: Pace, inOrder: Pace][] = [];
for (let round = 0; round < Number(rounds); round++) pairs.push([await measure(), await measure('user')]);

// A busy machine makes a turn slower by any factor, so each is compared with the one beside it.
const ratios = pairs.map(([byDefault, inOrder]) => inOrder.perSecond / byDefault.perSecond);
const summary = {
  byDefault: median(pairs.map(([{ perSecond }]) => perSecond)),
  inOrder: median(pairs.map(([, { perSecond }]) => perSecond)),
  cpuByDefault: median(pairs.map(([{ cpuMicroseconds }]) => cpuMicroseconds)),
  cpuInOrder: median(pairs.map(([, { cpuMicroseconds }]) => cpuMicroseconds)),
  kept: median(ratios),
};
report(
  [
    `${storeName}: ${Math.round(summary.byDefault)}/s and ${summary.cpuByDefault.toFixed(0)} µs of CPU each by default,`,
    `${Math.round(summary.inOrder)}/s and ${summary.cpuInOrder.toFixed(0)} µs with ordered: 'user';`,
    `${summary.kept.toFixed(2)} ×, from ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)} in ${rounds} pairs`,
  ].join(' '),
  summary,
);
sink.stop();
