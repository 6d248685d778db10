// Sends one event to a collector that fails at first. Prints what the collector received.
import { createServer } from 'node:http';
import { Analytics } from 'eventferry';

const requests = [];
const server = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  const { authorization, 'x-retry-count': retries = '0' } = request.headers;
  requests.push({ method: request.method, url: request.url, authorization, retries, batch: JSON.parse(body).batch });
  response.writeHead(requests.length === 1 ? 503 : 200).end('{}');
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));

const endpoint = `http://127.0.0.1:${server.address().port}`;
const analytics = new Analytics({ writeKey: 'dev', endpoint, flushAt: 1 });
await analytics.track({ userId: 'u1', event: 'Order Completed' }).delivered;
await analytics.close();
server.close();
console.log(JSON.stringify(requests));
