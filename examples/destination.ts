/**
 * Delivers three events to two endpoints: one takes everything, one has forgotten `Order Refunded` and is replayed later.
 *
 *     npx tsx examples/destination.ts
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Deliverable, Destination } from 'eventferry/destination';
import { createReceiver, toNodeHandler } from 'eventferry/webhooks';

const known = new Set(['Order Completed', 'Order Shipped']);
const receiver = createReceiver({
  secrets: 'shhh',
  onEvent: (event) => console.log(`  the receiver got ${event.type === 'track' ? event.event : event.type}`),
});
const receive = toNodeHandler(receiver);

const server = createServer((request, response) => {
  if (request.url === '/all') return void receive(request, response);
  let body = '';
  request.on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => response.writeHead(known.has(JSON.parse(body).event) ? 200 : 422).end());
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const destination = await Destination.open({
  webhooks: [{ url: `${origin}/all` }, { url: `${origin}/known` }],
  sharedSecret: 'shhh',
  settle: 'each',
  allowLoopback: true,
});
destination.on('dead', ({ id, endpoints }) => {
  for (const { url, reason, attempts } of endpoints) {
    console.log(`  ${id} is dead at ${url.replace(origin, '')}: ${reason}, status ${attempts.at(-1)?.status}`);
  }
});

const order = (messageId: string, event: string): Deliverable => ({
  type: 'track',
  messageId,
  timestamp: '2026-11-20T12:00:00.000Z',
  userId: 'u1',
  event,
});
for (const [index, event] of ['Order Completed', 'Order Shipped', 'Order Refunded'].entries()) {
  const { id, status } = await destination.deliver(order(`m${index + 1}`, event));
  console.log(`${id}: ${status}`);
}
await destination.idle();

console.log('the endpoint learns what a refund is, and the dead letters are replayed:');
known.add('Order Refunded');
console.log(`  ${await destination.replay({ endpoint: `${origin}/known` })} replayed`);
await destination.idle();

const { accepted, attempts, delivered, dead } = destination.counters();
console.log(`${accepted} events, ${attempts} attempts, ${delivered} delivered, ${dead} died on the way`);
await destination.close();
server.close();
