/**
 * A sink that answers 200 as fast as one process can: it reads only where a request ends. Prints its port; counts; told
 * `hang` for a path, it never answers.
 */
import { createServer } from 'node:net';

const ANSWER = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');

let taken = 0;
const server = createServer((socket) => {
  let left = Buffer.alloc(0);
  socket.setNoDelay(true);
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    let bytes = left.length === 0 ? chunk : Buffer.concat([left, chunk]);
    for (;;) {
      const headEnd = bytes.indexOf('\r\n\r\n');
      if (headEnd < 0) break;
      const head = bytes.latin1Slice(0, headEnd);
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      const end = headEnd + 4 + length;
      if (bytes.length < end) break;
      bytes = bytes.subarray(end);
      if (head.startsWith('POST /hang')) continue;
      taken++;
      socket.write(ANSWER);
    }
    left = bytes;
  });
});
process.on('message', () => process.send?.({ taken }));
server.listen(0, '127.0.0.1', () => process.send?.({ port: server.address().port }));
