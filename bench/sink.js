// The collector of the benchmark, in a process of its own: answers first and reads later, so that no client waits for our
// reading. It understands the bodies of every client and counts each event once, by its id.
import { createServer } from 'node:http';
import { gunzipSync } from 'node:zlib';

/** Bodies wait to be read until somebody asks for the count, or until they are this many bytes. */
const MOST_UNREAD_BYTES = 1024 * 1024 * 1024;

let unread = [];
let unreadBytes = 0;
let requests = 0;
let events = 0;
let ids = new Set();
let delayMs = 0;
let fault = 'none';
const sockets = new Set();
/** Those with a request that is never answered. */
const hanging = new Set();

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  if (fault === 'reset') return request.socket.resetAndDestroy();
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('error', () => {});
  request.on('end', () => {
    if (fault === 'hang') return hanging.add(request.socket);
    if (fault === 'none') book(request, chunks);
    answerInTime(request, response);
  });
});
server.on('connection', (socket) => {
  socket.setNoDelay(true);
  sockets.add(socket);
  socket.on('close', () => sockets.delete(socket));
});

function answerInTime({ url }, response) {
  if (delayMs > 0) setTimeout(answer, delayMs, url, response);
  else answer(url, response);
}

function answer(url, response) {
  if (fault === '503') return respond(response, 503, '{"error":"down"}');
  if (fault === '429') return respond(response, 429, '{"error":"slow down"}', { 'Retry-After': '1' });
  // The one client that judges by the body wants to read exactly this.
  respond(response, 200, url.startsWith('/track') ? '1' : '{"success":true}');
}

function respond(response, status, body, headers = {}) {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': body.length, ...headers });
  response.end(body);
}

function book({ url, headers }, chunks) {
  requests++;
  unread.push({ url, isCompressed: headers['content-encoding'] === 'gzip', chunks });
  for (const chunk of chunks) unreadBytes += chunk.length;
  if (unreadBytes > MOST_UNREAD_BYTES) readAll();
}

function readAll() {
  for (const body of unread) for (const item of itemsOf(body)) countOnce(item);
  unread = [];
  unreadBytes = 0;
}

function itemsOf({ url, isCompressed, chunks }) {
  const bytes = Buffer.concat(chunks);
  const text = (isCompressed ? gunzipSync(bytes) : bytes).toString();
  if (url.startsWith('/track')) return fromForm(text === '' ? url.slice(url.indexOf('?') + 1) : text);
  const { batch, data } = JSON.parse(text || '{}');
  return batch ?? data ?? [];
}

function fromForm(text) {
  const data = JSON.parse(Buffer.from(new URLSearchParams(text).get('data'), 'base64').toString());
  return Array.isArray(data) ? data : [data];
}

function countOnce(item) {
  events++;
  ids.add(item.messageId ?? item.uuid ?? item.eid ?? item.properties.$insert_id);
}

const commands = {
  /** How many requests and events came since the last `reset`, and how many events were different ones. */
  count() {
    readAll();
    return { requests, events, unique: ids.size };
  },
  reset() {
    unread = [];
    unreadBytes = requests = events = 0;
    ids = new Set();
  },
  delay(ms) {
    delayMs = ms;
  },
  /** `none`, `503`, `429` (Retry-After: 1), `reset`, `hang`, or `down`: nobody listens. */
  async fault(kind) {
    const { port } = server.address() ?? { port: downPort };
    if (kind === 'down') await stopListening(port);
    else if (fault === 'down') await listen(port);
    // A server that hung is started again, and knows nothing of the requests it had.
    for (const socket of hanging) socket.destroy();
    hanging.clear();
    fault = kind;
  },
};

let downPort = 0;

function stopListening(port) {
  downPort = port;
  return new Promise((resolve) => {
    server.close(() => resolve());
    for (const socket of sockets) socket.destroy();
  });
}

const listen = (port) => new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));

process.on('message', async ({ id, command, argument }) => {
  process.send({ id, result: await commands[command](argument) });
});
process.on('disconnect', () => process.exit());
await listen(0);
process.send({ port: server.address().port });
