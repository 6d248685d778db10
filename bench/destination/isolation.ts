/**
 * What four endpoints lose when a fifth hangs for the full timeout: events go to five URLs with the rule `each`, and the
 * clock stops when the four have them all. Compared with five that are well, in turns.
 *
 *     npx tsx bench/destination/isolation.ts [memory|lmdb] [events] [rounds]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Destination, lmdbStore, memoryStore } from '../../src/destination/index.js';
import { median, report, sampleMessage } from './sample.js';
import { startSink } from './sink-process.js';

const [storeName = 'memory', events = '30000', rounds = '5'] = process.argv.slice(2);
const count = Number(events);
const CALLERS = 64;
const sink = await startSink();

/** Deliveries per second to the four. */
async function measure(fifth: 'ok' | 'hang'): Promise<number> {
  const path = mkdtempSync(join(tmpdir(), 'eventferry-bench-'));
  const store = storeName === 'lmdb' ? await lmdbStore({ path }) : memoryStore();
  const paths = ['ok/1', 'ok/2', 'ok/3', 'ok/4', `${fifth}/5`];
  const destination = await Destination.open({
    webhooks: paths.map((name) => ({ url: `${sink.origin}/${name}` })),
    settle: 'each',
    sharedSecret: 'shhh',
    allowLoopback: true,
    store,
  });
  let left = count * 4;
  const done = new Promise<void>((resolve) => {
    destination.on('delivered', ({ endpoint }) => {
      if (!endpoint.endsWith('/5') && --left === 0) resolve();
    });
  });
  const startedAt = performance.now();
  let next = 0;
  const caller = async (): Promise<void> => {
    while (next < count) await destination.deliver(sampleMessage(`m${next++}`));
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  await done;
  const rate = (count * 4) / ((performance.now() - startedAt) / 1_000);
  await destination.close({ timeout: 0 });
  rmSync(path, { recursive: true });
  return rate;
}

await measure('ok');
const well: number[] = [];
const hanging: number[] = [];
for (let round = 0; round < Number(rounds); round++) {
  well.push(await measure('ok'));
  hanging.push(await measure('hang'));
}
const kept = (median(hanging) / median(well)) * 100;
report(
  [
    `${storeName}: the four take ${Math.round(median(well))}/s beside a fifth that is well, ${Math.round(median(hanging))}/s`,
    `beside one that hangs: ${kept.toFixed(0)} % (medians of ${rounds})`,
  ].join(' '),
  { well: median(well), hanging: median(hanging), kept: kept / 100 },
);
sink.stop();
