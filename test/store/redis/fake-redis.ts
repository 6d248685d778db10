import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { onTestFinished } from 'vitest';

/**
 * Starts a server that receives the name of each command in lower case and answers as a test says, to imitate behaviour that the
 * real Redis here does not show. Like Redis, it answers the commands of a connection in order.
 */
export async function startFakeRedis(
  onCommand: (name: string, answer: (resp: string) => void) => void,
): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    onTestFinished(() => void socket.destroy());
    const answers: (string | undefined)[] = [];
    const flush = (): void => {
      while (answers[0] !== undefined) socket.write(answers.shift() ?? '');
    };
    let sent = 0;
    let received = 0;
    socket.on('data', (chunk) => {
      // Commands arrive as arrays of bulk strings. Where chunks are split does not matter for this fake.
      for (const [, name = ''] of chunk.toString().matchAll(/\*\d+\r\n\$\d+\r\n(\w+)\r\n/g)) {
        const place = received++;
        answers.push(undefined);
        onCommand(name.toLowerCase(), (resp) => {
          answers[place - sent] = resp;
          const before = answers.length;
          flush();
          sent += before - answers.length;
        });
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `redis://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
