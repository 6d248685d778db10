// No collector: one JSON.parse for each body, and an answer.
import { createServer } from 'node:http';

export function open(onEvents) {
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const { batch } = JSON.parse(Buffer.concat(chunks).toString());
      onEvents(batch.length);
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"success":true}');
    });
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${server.address().port}`));
  });
}
