/**
 * Starts a service with one destination, gives it an audience of three users, and a day later a list on which one is missing.
 *
 *     npx tsx examples/audience.ts
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { AdminClient } from 'eventferry/admin';
import { createReceiver, toNodeHandler } from 'eventferry/webhooks';

const told: string[] = [];
const receiver = createReceiver({
  secrets: 'shhh',
  onEvent: (event) => {
    if (event.type === 'identify') told.push(`${event.userId} ${JSON.stringify(event.traits)}`);
  },
});
const endpoint = createServer(toNodeHandler(receiver)).listen(0, '127.0.0.1');
await once(endpoint, 'listening');

const folder = await mkdtemp(join(tmpdir(), 'eventferry-'));
const config = join(folder, 'eventferry.json');
const token = 'the-admin-of-this-example';
const url = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/hook`;
const crm = { name: 'crm', type: 'Webhooks', sharedSecret: 'shhh', allowLoopback: true, webhooks: [{ url }] };
const sources = [{ name: 'shop', writeKeys: ['dev'], destinations: ['crm'] }];
await writeFile(config, JSON.stringify({ listen: { port: 0 }, admin: { token }, sources, destinations: [crm] }));

// In a project of yours this is `npx eventferry serve`.
const command = fileURLToPath(new URL('cli.js', import.meta.resolve('eventferry')));
const serve = spawn(process.execPath, [command, 'serve', config, '--json']);
serve.stderr.pipe(process.stderr);
const [started] = await once(createInterface({ input: serve.stdout }), 'line');
const admin = new AdminClient({ url: JSON.parse(started).url, token });

for (const list of [
  ['ada', 'bea', 'cleo'],
  ['ada', 'cleo'],
]) {
  const { joined, left, members } = await admin.syncAudience('High Value Users', list);
  console.log(`${joined} joined, ${left} left, ${members} members`);
}

serve.kill('SIGTERM');
await once(serve, 'exit');
endpoint.close();
await rm(folder, { recursive: true });
console.log(told.sort().join('\n'));
