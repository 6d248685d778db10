/**
 * A gateway of your own, which checks messages before it hands them on.
 *
 *     npx tsx examples/validate-express.ts
 */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { message } from 'eventferry/schemas';
import express from 'express';

const app = express();

app.post('/events', express.json({ limit: '32kb' }), (request, response) => {
  const result = message.safeParse(request.body);
  if (!result.success) return response.status(400).json(result.issues);
  console.log(`accepted: ${result.data.type} of ${result.data.userId}`);
  return response.status(202).json([]);
});

const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`;

for (const event of ['Order Completed', '']) {
  const body = JSON.stringify({ type: 'track', userId: 'u1', event });
  const answer = await fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
  console.log(`${answer.status}: ${await answer.text()}`);
}

server.close();
server.closeAllConnections();
