/** A service inside an Express app: its own routes, and a collector below `/events`. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Analytics } from 'eventferry';
import { AdminClient } from 'eventferry/admin';
import { loadConfig, memoryStorage, Service } from 'eventferry/service';
import express from 'express';

const folder = await mkdtemp(join(tmpdir(), 'eventferry-example-'));
const file = join(folder, 'eventferry.json');
const token = 'sixteen-characters-or-more';
await writeFile(
  file,
  JSON.stringify({
    admin: { token },
    sources: [{ name: 'app', writeKeys: ['dev'], destinations: ['crm'] }],
    destinations: [{ name: 'crm', type: 'Webhooks', webhooks: [{ url: 'http://127.0.0.1:9/' }], allowLoopback: true }],
  }),
);

// In memory for this example. Without `storage` the service keeps everything where the configuration says.
const service = await Service.open(await loadConfig(file), { storage: memoryStorage() });
const app = express();
app.get('/', (_, response) => void response.send('my app'));
app.use('/events', service.handler);
const server = app.listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const address = server.address();
const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;

console.log(await (await fetch(url)).text());
const analytics = new Analytics({ writeKey: 'dev', endpoint: `${url}/events` });
analytics.track({ userId: 'u1', event: 'Order Completed' });
await analytics.close();
const admin = new AdminClient({ url: `${url}/events`, token });
const { joined } = await admin.syncAudience('Buyers', ['u1']);
console.log(`${analytics.stats().delivered} delivered, ${joined} joined`);

server.close();
await service.close();
await rm(folder, { recursive: true });
