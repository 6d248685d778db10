// Everything that the service delivers to, in a process of its own: answers 200 as fast as one process can or after a delay, and
// counts each event once for each path. It never answers on /hang. Given files with a key and a certificate, it speaks TLS.
import { readFileSync } from 'node:fs';
import { createServer as createPlain } from 'node:net';
import { createServer as createSecure } from 'node:tls';

const { delayMs, certificate } = JSON.parse(process.argv[2] ?? '{}');

const ANSWER = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
const HEAD_END = Buffer.from('\r\n\r\n');
const ID = Buffer.from('"messageId":"');
/** The last part of an id is the number of the event. */
const ID_LENGTH = 36;
const NUMBER_LENGTH = 12;
const MOST_EVENTS = 1e9;

/** By path, a byte for each event: whether it came. */
const seen = new Map();
let unique = 0;
let twice = 0;
let lastAt = 0;
/** Of all requests, heads included. */
let bytes = 0;

const [createServer, keys] =
  certificate === undefined
    ? [createPlain, {}]
    : [createSecure, { key: readFileSync(certificate.key), cert: readFileSync(certificate.cert) }];
const server = createServer({ noDelay: true, ...keys }, (socket) => {
  let left = Buffer.alloc(0);
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    left = takeRequests(left.length === 0 ? chunk : Buffer.concat([left, chunk]), socket);
  });
});

/** Answers whole requests, and gives back what is left over. */
function takeRequests(given, socket) {
  let left = given;
  for (;;) {
    const headEnd = left.indexOf(HEAD_END);
    if (headEnd < 0) return left;
    const head = left.latin1Slice(0, headEnd);
    const end = headEnd + HEAD_END.length + Number(/content-length: (\d+)/i.exec(head)[1]);
    if (left.length < end) return left;
    bytes += end;
    const path = head.slice('POST '.length, head.indexOf(' ', 'POST '.length));
    if (path !== '/hang') answer(socket, path, numberIn(left.subarray(headEnd, end)));
    left = left.subarray(end);
  }
}

function answer(socket, path, number) {
  if (delayMs === undefined) take();
  else setTimeout(take, delayMs);

  function take() {
    socket.write(ANSWER);
    countOnce(path, number);
  }
}

function numberIn(body) {
  const end = body.indexOf(ID) + ID.length + ID_LENGTH;
  return Number(body.latin1Slice(end - NUMBER_LENGTH, end));
}

function countOnce(path, number) {
  // The id is none of ours.
  if (!(number < MOST_EVENTS)) {
    unique++;
    lastAt = Date.now();
    return;
  }
  let came = seen.get(path) ?? new Uint8Array(1024);
  if (number >= came.length) {
    const longer = new Uint8Array(2 ** Math.ceil(Math.log2(number + 1)));
    longer.set(came);
    came = longer;
  }
  seen.set(path, came);
  if (came[number] === 1) twice++;
  else unique++;
  came[number] = 1;
  lastAt = Date.now();
}

process.on('message', ({ id }) => process.send({ id, result: { unique, twice, lastAt, bytes } }));
process.on('disconnect', () => process.exit());
// Many destinations connect at once.
const BACKLOG = 4_096;
server.listen({ port: 0, host: '127.0.0.1', backlog: BACKLOG }, () => process.send({ port: server.address().port }));
