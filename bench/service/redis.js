// A Redis of our own, as the service wants it but for `appendfsync`, on a free port.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export const isRedisInstalled = () => spawnSync('redis-server', ['--version']).status === 0;

/** Resolves once it takes connections. `cpuMicroseconds()` is NaN where the system does not tell. */
export async function startRedis(folder, appendfsync) {
  const port = await freePort();
  const settings = {
    port,
    bind: '127.0.0.1',
    dir: folder,
    appendonly: 'yes',
    appendfsync,
    save: '',
    'maxmemory-policy': 'noeviction',
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = spawn('redis-server', args, { stdio: 'ignore' });
  while (!(await takesConnections(port))) await delay(20);
  return {
    url: `redis://127.0.0.1:${port}`,
    cpuMicroseconds: () => cpuMicrosecondsOf(child.pid),
    appendOnlyBytes: () => bytesIn(join(folder, 'appendonlydir')),
    usage: () => usageOf(port),
    async stop() {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

async function takesConnections(port) {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** What it has used since it started, and what it holds, as INFO says. */
async function usageOf(port) {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  socket.write('INFO everything\r\nQUIT\r\n');
  let text = '';
  for await (const chunk of socket) text += chunk;
  const number = (name) => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(text)?.[1]);
  return {
    // Commands run on the main thread alone, so that is what one core bounds.
    mainThreadMicroseconds: (number('used_cpu_user_main_thread') + number('used_cpu_sys_main_thread')) * 1e6,
    memoryBytes: number('used_memory'),
    aofBytes: number('aof_current_size'),
    networkBytes: number('total_net_input_bytes') + number('total_net_output_bytes'),
  };
}

const bytesIn = (folder) => readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);

/** A port that nobody listens on. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** Linux counts in hundredths of a second, also where its clock is finer. */
const TICK_MICROSECONDS = 10_000;

function cpuMicrosecondsOf(pid) {
  try {
    // The name, in brackets, may hold spaces. The times are the 14th and the 15th, and what comes after it begins with the third.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MICROSECONDS;
  } catch {
    return Number.NaN;
  }
}
