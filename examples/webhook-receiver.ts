/**
 * Receives one signed delivery, and refuses one that is signed with another secret.
 *
 *     npx tsx examples/webhook-receiver.ts
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createReceiver, toNodeHandler } from 'eventferry/webhooks';
import { sampleDelivery } from 'eventferry/webhooks/testing';

const receiver = createReceiver({
  secrets: 'shhh',
  onEvent: (event) => {
    if (event.type === 'track') console.log(`received: ${event.userId} did "${event.event}" at ${event.timestamp}`);
  },
  onRefused: ({ status, message }) => console.log(`refused with ${status}: ${message}`),
});

const server = createServer(toNodeHandler(receiver)).listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`;

for (const secret of ['shhh', 'guessed']) {
  const response = await fetch(url, sampleDelivery('track', { secret }));
  console.log(`the sender was told: ${response.status} ${(await response.text()).trim()}`);
}

server.close();
server.closeAllConnections();
