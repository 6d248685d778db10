// The processes of a measurement: one sink, and one child for each client, so that no client warms up, or wears down,
// the ground for the next.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';

/** Starts a sink; `sink.count()`, `sink.reset()`, `sink.delay(ms)` and `sink.fault(kind)` reach it. */
export async function startSink() {
  const child = fork(new URL('sink.js', import.meta.url), { execArgv: ['--max-old-space-size=4096'] });
  const [{ port }] = await once(child, 'message');
  return {
    url: `http://127.0.0.1:${port}`,
    count: asking(child, 'count'),
    reset: asking(child, 'reset'),
    delay: asking(child, 'delay'),
    fault: asking(child, 'fault'),
    stop: () => child.disconnect(),
  };
}

let lastId = 0;

/** Sends the child a command at each call, and resolves with its result. */
export function asking(child, command) {
  return (argument) => {
    const id = ++lastId;
    return new Promise((resolve) => {
      const take = (message) => {
        if (message.id !== id) return;
        child.off('message', take);
        resolve(message.result);
      };
      child.on('message', take);
      child.send({ id, command, argument });
    });
  };
}

/** Starts a server of `servers/`; `server.ask('reset')` and `server.ask('cost')` reach it. */
export async function startServer(name) {
  const child = fork(new URL('server.js', import.meta.url), [name], { execArgv: profileFlags(`server-${name}`) });
  const [{ url }] = await once(child, 'message');
  return {
    url,
    async ask(command) {
      child.send(command);
      const [answer] = await once(child, 'message');
      return answer;
    },
    stop: () => child.disconnect(),
  };
}

/**
 * Runs the client half of a measurement (its `inClient`) on one row, and resolves with what that returns. `lost` when the
 * child ended without a word, or was ended because it took longer than `timeoutMs`.
 */
export function runClient(measurement, row, { url, flags = [], timeoutMs = 120_000, ...rest }) {
  const job = JSON.stringify({ measurement, client: row.client, settings: row.settings ?? {}, url, ...rest });
  const execArgv = [...flags, ...profileFlags(`${measurement}-${row.label}`)];
  const child = fork(new URL('client.js', import.meta.url), [job], { execArgv, stdio: 'pipe' });
  return new Promise((resolve) => {
    let stderr = '';
    let result;
    child.stderr.on('data', (chunk) => {
      stderr = (stderr + chunk).slice(-2_000);
    });
    child.stdout.resume();
    child.on('message', (message) => {
      result = message;
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve(result ?? { failed: signal ?? `exit ${code}: ${stderr.trim().split('\n').at(-1)}` });
    });
  });
}

/** A later round overwrites the profile of the one before. */
export function profileFlags(name) {
  const folder = process.env.BENCH_PROFILES;
  if (folder === undefined) return [];
  return ['--cpu-prof', `--cpu-prof-dir=${folder}`, `--cpu-prof-name=${name.replaceAll(/[^\w-]+/g, '-')}.cpuprofile`];
}

/** Runs a script to its end: how long that took from outside, in milliseconds, and what it wrote. */
export async function runScript(args, env = {}) {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => (stdout += chunk));
  child.stderr.on('data', (chunk) => (stderr += chunk));
  let ms;
  child.on('exit', () => {
    ms = performance.now() - startedAt;
  });
  // What it wrote is only complete here.
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`);
  return { ms, stdout };
}
