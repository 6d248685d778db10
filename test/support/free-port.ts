import { once } from 'node:events';
import { createServer } from 'node:net';

/** More than the number of test files that run at once, each of which has its own ports. */
const LANES = 100;
const PORTS_OF_A_LANE = 200;

const lane = Number(process.env['VITEST_POOL_ID'] ?? 0) % LANES;
const given = new Set<number>();

/**
 * Returns a port outside the range from which the system assigns free ones, and never the same port twice. So a service that was
 * killed finds its port free when it is started again, whatever was opened meanwhile.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 10_000 + LANES * Math.floor(Math.random() * PORTS_OF_A_LANE) + lane;
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
