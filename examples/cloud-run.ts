/** A service on Cloud Run, which takes the CPU away once the answer is out, and ends an instance 10 s after SIGTERM. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Analytics } from 'eventferry';

const analytics = new Analytics({
  writeKey: process.env['EVENTFERRY_WRITE_KEY'] ?? 'dev',
  endpoint: process.env['EVENTFERRY_ENDPOINT'] ?? 'http://127.0.0.1:4100',
});

const server = createServer(async (_request, response) => {
  analytics.track({ userId: 'u1', event: 'Order Completed' });
  // With "instance-based billing" the CPU stays, and there is no need to wait.
  await analytics.flush({ timeout: 1_000 }).catch((error: unknown) => console.warn(String(error)));
  response.end('ordered');
});
server.listen(Number(process.env['PORT'] ?? 8080));
await once(server, 'listening');
console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);

process.once('SIGTERM', async () => {
  server.close();
  server.closeIdleConnections();
  // Within the 10 s, so that what is lost in an outage is reported.
  const { delivered, lost } = await analytics.close({ timeout: 8_000 });
  console.log(`closed: ${delivered} delivered, ${lost} lost`);
});
