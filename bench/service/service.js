// `eventferry serve` and whoever it delivers to, each in a process of its own.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { asking, profileFlags } from '../processes.js';

const COMMAND = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const COST = new URL('cost.js', import.meta.url).href;

/** `receiver.count()` says how many different events came on all paths together, how many came again, and when the last did. */
export async function startReceiver() {
  const child = fork(new URL('receiver.js', import.meta.url), { execArgv: [] });
  const [{ port }] = await once(child, 'message');
  return { url: `http://127.0.0.1:${port}`, count: asking(child, 'count'), stop: () => child.disconnect() };
}

/** Resolves once it listens. Rejects with what it printed when it ends instead. */
export async function startService(folder, config, label, flags = []) {
  const file = join(folder, 'eventferry.json');
  writeFileSync(file, JSON.stringify(config));
  const child = fork(COMMAND, ['serve', file, '--json'], {
    execArgv: ['--import', COST, ...profileFlags(label), ...flags],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const ended = once(child, 'exit');
  return {
    url: await urlOf(child),
    pid: child.pid,
    ended,
    reset: asking(child, 'reset'),
    cost: asking(child, 'cost'),
    async stop() {
      // Whatever waits for a dead destination need not be waited for; a profile is only written in good order.
      child.kill(process.env.BENCH_PROFILES === undefined ? 'SIGKILL' : 'SIGTERM');
      await ended;
    },
  };
}

function urlOf(child) {
  return new Promise((resolve, reject) => {
    let printed = '';
    child.stderr.on('data', (chunk) => (printed = (printed + chunk).slice(-2_000)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const { url, sources } = JSON.parse(line);
      if (sources !== undefined) resolve(url);
      else printed = line;
    });
    child.once('exit', (code) => reject(new Error(`serve ended with ${code}: ${printed}`)));
  });
}
