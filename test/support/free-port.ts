import { once } from 'node:events';
import { createServer } from 'node:net';

/** More than there are ever test files at once, each of which has ports of its own. */
const LANES = 100;
const PORTS_OF_A_LANE = 200;

const lane = Number(process.env['VITEST_POOL_ID'] ?? 0) % LANES;
const given = new Set<number>();

/**
 * A port that the system gives to nobody who asks for any, and this function to nobody else: a service that was killed finds
 * it free when it is started again, whatever connections were opened and whatever other services were started meanwhile.
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
