// What very many quiet destinations cost a service: its start, its memory, and its CPU while nothing happens.
//
//   npm run build && node bench/service/scale.js [destinations=10000] [redis://…]
//
// On lmdb in a temporary folder, or on the Redis of the URL, whose keys of this run stay behind its prefix. The CPU that a start
// takes holds on a busy machine as well; the seconds on the clock do not.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

/** The clock in /proc ticks so often in a second on every Linux that Node.js runs on. */
const TICKS = 100;
/** V8 gives back the memory of the start from about 25 s after it on, which takes it as long. */
const SETTLE_MS = 100_000;
const IDLE_MS = Number(process.env.IDLE_MS ?? 60_000);

const [count = '10000', redisUrl] = process.argv.slice(2);

const configOf = (destinations) => ({
  listen: { port: 0 },
  store:
    redisUrl === undefined
      ? { type: 'lmdb', path: 'data' }
      : { type: 'redis', url: redisUrl, prefix: `scale-${process.pid}` },
  admin: { token: 'a-token-of-16-or-more' },
  sources: destinations.map(({ name }) => ({ name, writeKeys: [`key-${name}`], destinations: [name] })),
  destinations,
});

const destinationOf = (number) => ({
  name: `customer-${number}`,
  type: 'Webhooks',
  sharedSecret: `secret-${number}`,
  webhooks: [{ url: `https://customer-${number}.example/hook` }],
});

/** Seconds of CPU that the process has used, and its memory in MB. */
async function usageOf(pid) {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1].split(' ');
  const [, kb] = /VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'));
  return { cpu: (Number(fields[11]) + Number(fields[12])) / TICKS, mb: Math.round(kb / 1024) };
}

/** Starts the service, and measures it until it has been idle for a minute. */
async function measure(folder, label) {
  const startedAt = performance.now();
  const nodeOptions = (process.env.SERVE_NODE ?? '').split(' ').filter(Boolean);
  const child = spawn(process.execPath, [...nodeOptions, CLI, 'serve', join(folder, 'eventferry.json')], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  await new Promise((resolve, reject) => {
    lines.on('line', (line) => line.includes('the service listens') && resolve());
    child.once('exit', () => reject(new Error('The service ended before it listened')));
  });
  const start = await usageOf(child.pid);
  const startSeconds = (performance.now() - startedAt) / 1_000;
  await sleep(SETTLE_MS);
  const before = await usageOf(child.pid);
  await sleep(IDLE_MS);
  const after = await usageOf(child.pid);
  const percent = ((after.cpu - before.cpu) * 100_000) / IDLE_MS;
  console.log(
    `${label}: listens after ${startSeconds.toFixed(1)} s, ${start.cpu.toFixed(1)} s of CPU; ${after.mb} MB; idle ${percent.toFixed(1)} % of a core`,
  );
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

const folder = await mkdtemp(join(tmpdir(), 'eventferry-scale-'));
try {
  const destinations = Array.from({ length: Number(count) }, (_, number) => destinationOf(number));
  await writeFile(join(folder, 'eventferry.json'), JSON.stringify(configOf(destinations), null, 2));
  await measure(folder, 'first start');
  await measure(folder, 'next start');
} finally {
  await rm(folder, { recursive: true });
}
