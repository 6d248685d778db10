import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/**
 * Starts a proxy in place of a server. It can silently swallow the data of its connections, and send new ones to another server.
 */
export async function startSilentProxy(port: number) {
  let target = port;
  const pairs = new Set<readonly [Socket, Socket]>();
  const proxy = createServer((client) => {
    const server = connect(target, '127.0.0.1');
    const pair = [client, server] as const;
    pairs.add(pair);
    for (const [from, to] of [pair, [server, client] as const]) {
      from.pipe(to);
      from.on('error', () => undefined);
      from.on('close', () => {
        to.destroy();
        pairs.delete(pair);
      });
    }
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => {
    proxy.close();
    for (const socket of [...pairs].flat()) socket.destroy();
  });
  const swallow = (): number => {
    for (const [client, server] of pairs) {
      client.unpipe(server).on('data', () => undefined);
      server.unpipe(client).on('data', () => undefined);
    }
    return pairs.size;
  };
  const lead = (to: number): void => {
    target = to;
  };
  return { lead, url: `redis://127.0.0.1:${(proxy.address() as AddressInfo).port}`, swallow };
}
