import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CliError, codeOf, reasonOf } from './cli-error.js';

/**
 * Listens, and says on which port.
 *
 * @throws CliError when the port is taken or not allowed
 */
export async function listenOn(server: Server, { port, host }: { port: number; host: string }): Promise<number> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw explainListening(error, { port, host });
  }
  // A server that listens on TCP has an address of this kind.
  return (server.address() as AddressInfo).port;
}

/** Why there is no listening there, in words. */
export function explainListening(error: unknown, { port, host }: { port: number; host: string }): CliError {
  const code = codeOf(error);
  if (code === 'EADDRINUSE') {
    const other = port < 65_535 ? port + 1 : 0;
    return new CliError(`port ${port} is already in use; try --port ${other}, or --port 0 for any free one`);
  }
  if (code === 'EACCES') return new CliError(`port ${port} is not allowed; try a port from 1024 up`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return new CliError(`${host} is no address of this machine`);
  return new CliError(reasonOf(error));
}

export const urlOf = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

/**
 * Resolves at the first Ctrl-C, or when the process is asked to end, also by ending the npx that started it. The second
 * Ctrl-C ends it at once, as ever.
 */
export function whenInterrupted(): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => {
      process.off('SIGINT', stop);
      process.off('SIGTERM', stop);
      clearInterval(looking);
      resolve();
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
    const looking = isBelowNpm(process.env) ? whenOrphaned(stop) : undefined;
  });
}

/** How often a process looks whether it still has its parent, in ms. */
const LOOK_MS = 500;

/**
 * Whether npx or `npm run` started this very command in the foreground. They do it in a shell, which ends on a signal
 * without handing it on, so that only the loss of that parent tells of it.
 */
function isBelowNpm({ npm_lifecycle_script: script = '' }: NodeJS.ProcessEnv): boolean {
  const isInBackground = /(^|[^&])&([^&]|$)|nohup|setsid/.test(script);
  return script.includes('eventferry') && !isInBackground;
}

function whenOrphaned(act: () => void): NodeJS.Timeout {
  const parent = process.ppid;
  return setInterval(() => {
    if (process.ppid !== parent) act();
  }, LOOK_MS).unref();
}
