// `eventferry serve` and whoever it delivers to, each in a process of its own.
import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { asking, profileFlags } from '../processes.js';

const COMMAND = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const COST = new URL('cost.js', import.meta.url).href;

/** How receivers are reached. */
export const PLAIN = { name: '' };
export const TLS = { name: ', TLS', isSecure: true };
export const SLOW = { name: ', answered after 50 ms', delayMs: 50 };

/**
 * `receiver.count()` says how many different events came on all paths together, how many came again, and when the last did.
 * `receiver.env` makes a process trust it.
 */
export async function startReceiver({ delayMs, isSecure } = PLAIN, folder = undefined) {
  const certificate = isSecure && certificateIn(folder);
  const child = fork(new URL('receiver.js', import.meta.url), [JSON.stringify({ delayMs, certificate })], {
    execArgv: [],
  });
  const [{ port }] = await once(child, 'message');
  return {
    url: `${isSecure ? 'https' : 'http'}://127.0.0.1:${port}`,
    env: certificate && { NODE_EXTRA_CA_CERTS: certificate.cert },
    count: asking(child, 'count'),
    stop: () => child.disconnect(),
  };
}

function certificateIn(folder) {
  const [key, cert] = ['key.pem', 'cert.pem'].map((name) => join(folder, name));
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync('openssl', ['req', '-x509', ...kind, ...subject, '-keyout', key, '-out', cert], { stdio: 'pipe' });
  return { key, cert };
}

/** What a POST to such a receiver costs a loop that does nothing else, in microseconds of CPU. */
export async function costOfBareLoop(link, folder, { warmUpMs, durationMs }) {
  const receiver = await startReceiver(link, folder);
  const args = [receiver.url, warmUpMs, durationMs].map(String);
  const env = { ...process.env, ...receiver.env };
  const child = fork(new URL('bare-loop.js', import.meta.url), args, { execArgv: [], env });
  try {
    const [told] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
    if (told?.microseconds === undefined) throw new Error(`the bare loop ended with ${told}`);
    return told.microseconds;
  } finally {
    if (child.connected) child.disconnect();
    receiver.stop();
  }
}

/** Resolves once it listens. Rejects with what it printed when it ends instead. */
export async function startService(folder, config, label, flags = [], env = {}) {
  const file = join(folder, 'eventferry.json');
  writeFileSync(file, JSON.stringify(config));
  const child = fork(COMMAND, ['serve', file, '--json'], {
    execArgv: ['--import', COST, ...profileFlags(label), ...flags],
    env: { ...process.env, ...env },
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
