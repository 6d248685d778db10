import 'eventferry/undici';
import { createServer } from 'node:http';
import { Analytics } from 'eventferry';

// Node's own client keeps the case of our header names. undici writes the first of them in lower case.
const clients = new Set();
const server = createServer((request, response) => {
  clients.add(request.rawHeaders.includes('Host') ? 'node:http' : 'undici');
  request.resume().on('end', () => response.end('{"success":true}'));
});

async function main() {
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${server.address().port}`;
  const analytics = new Analytics({ writeKey: 'k', endpoint, flushAt: 1 });
  for (let sent = 0; sent < 20; sent++) await analytics.track({ userId: 'u1', event: 'Signed Up' }).delivered;
  const { delivered, retries } = await analytics.close();
  server.closeAllConnections();
  server.close();
  console.log(JSON.stringify({ delivered, retries, clients: [...clients] }));
}

main();
