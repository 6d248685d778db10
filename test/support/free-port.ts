import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A port that the system gives to nobody who asks for any: a service that was killed finds it free when it is started again,
 * whatever connections were opened meanwhile.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000);
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
