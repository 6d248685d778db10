/**
 * Memory with many deliveries pending in lmdb: the endpoint hangs, and messages are accepted all the while. Then the process
 * begins anew with all of them pending.
 *
 *     npx tsx --expose-gc bench/destination/pending.ts [pending]
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Destination, lmdbStore } from '../../src/destination/index.js';
import { sampleMessage } from './sample.js';
import { startSink } from './sink-process.js';

const count = Number(process.argv[2] ?? 1_000_000);
const path = mkdtempSync(join(tmpdir(), 'eventferry-bench-'));
const sink = await startSink();
const open = async (): Promise<Destination> =>
  Destination.open({
    webhooks: [{ url: `${sink.origin}/hang` }],
    sharedSecret: 'shhh',
    allowLoopback: true,
    store: await lmdbStore({ path }),
  });

/** In MB: what JavaScript holds, and what the process holds beside the mapped file, which the system may take back. */
function memory(): string {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  const anonymousKb = Number(/RssAnon:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
  const mb = (bytes: number): string => (bytes / 1024 / 1024).toFixed(0);
  return `heap ${mb(heapUsed)} MB, buffers ${mb(external)} MB, anonymous RSS ${mb(anonymousKb * 1024)} MB`;
}

let destination = await open();
const startedAt = performance.now();
let next = 0;
const caller = async (until: number): Promise<void> => {
  while (next < until) await destination.deliver(sampleMessage(`m${next++}`));
};
for (const share of [0.01, 0.1, 0.25, 0.5, 0.75, 1]) {
  await Promise.all(Array.from({ length: 256 }, () => caller(count * share)));
  const [endpoint] = destination.endpoints();
  console.log(`${endpoint?.waiting} pending: ${memory()}`);
}
console.log(`accepted ${Math.round(count / ((performance.now() - startedAt) / 1_000))}/s`);
await destination.close({ timeout: 0 });

const reopenedAt = performance.now();
destination = await open();
console.log(
  `opened again in ${Math.round(performance.now() - reopenedAt)} ms, ${destination.endpoints()[0]?.waiting} pending: ${memory()}`,
);
await destination.close({ timeout: 0 });
sink.stop();
rmSync(path, { recursive: true });
