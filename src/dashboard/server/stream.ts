import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Hello } from './entry.js';
import type { Feed } from './live-feed.js';
import { privateHeaders } from './page-response.js';

/** The maximum number of entries in one event of the stream. */
const ENTRIES_AT_ONCE = 250;
/** How long entries are collected, in ms, so that many at once become one event. */
const COLLECT_MS = 30;
/** The interval in ms at which something is sent, so that no proxy closes a silent connection. */
const HEARTBEAT_MS = 15_000;
const RECONNECT_MS = 1_000;

type About = Omit<Hello, 'epoch'>;

/**
 * Answers with the feed as server-sent events (HTML, 9.2), from the entry after the one that the request names as its last.
 * Entries are read only as fast as the connection takes them, so a slow reader costs no memory; a reader that falls behind the
 * ring is told that there is a gap. With `source` in the query, only the entries of that source are sent.
 */
export function streamFeed(feed: Feed, request: IncomingMessage, response: ServerResponse, about: About): void {
  const { source, last: from } = askedBy(request);
  let seq = numberIn(from, feed.epoch);
  let endpoints: string | undefined;
  let isBlocked = false;
  let timer: NodeJS.Timeout | undefined;
  const write = (text: string): void => {
    isBlocked = !response.write(text);
  };
  const writeEndpoints = (): void => {
    if (isBlocked || feed.endpoints === undefined || feed.endpoints === endpoints) return;
    endpoints = feed.endpoints;
    write(event('endpoints', endpoints));
  };
  const pump = (): void => {
    timer = undefined;
    if (!isWritable(response)) return;
    writeEndpoints();
    while (!isBlocked && isWritable(response)) {
      const entries = feed.after(seq, ENTRIES_AT_ONCE);
      const last = entries.at(-1);
      if (last === undefined) return;
      if (seq > 0 && feed.hasGapAfter(seq)) write(event('gap', '{}'));
      seq = last.seq;
      const data = entries.filter((each) => source === null || each.source === source).map(({ json }) => json);
      if (data.length > 0) write(event('entries', `[${data.join(',')}]`, `${feed.epoch}:${seq}`));
    }
  };
  const wake = (): void => {
    timer ??= setTimeout(pump, COLLECT_MS);
  };
  response.writeHead(200, { ...privateHeaders, 'Content-Type': 'text/event-stream' });
  write(`retry: ${RECONNECT_MS}\n${event('hello', JSON.stringify({ epoch: feed.epoch, ...about }))}`);
  const unsubscribe = feed.subscribe(wake);
  const heartbeat = setInterval(() => isWritable(response) && response.write(':\n\n'), HEARTBEAT_MS);
  response.on('drain', () => {
    isBlocked = false;
    pump();
  });
  response.on('close', () => {
    unsubscribe();
    clearInterval(heartbeat);
    clearTimeout(timer);
  });
  pump();
}

/** Writing after the end causes an error that nothing handles; a slow reader stays connected for a while after the end. */
const isWritable = (response: ServerResponse): boolean => !response.destroyed && !response.writableEnded;

/** Reads which source is asked for, and the id of the last entry that the page has. */
function askedBy({ url, headers }: IncomingMessage) {
  const query = new URLSearchParams(url?.split('?')[1]);
  // When the page opens a new connection itself, it names the last entry in the query.
  return { source: query.get('source'), last: headers['last-event-id'] ?? query.get('after') };
}

/** Reads the number of an entry from its id; 0 if the id belongs to another epoch. */
function numberIn(id: unknown, epoch: string): number {
  const [, idEpoch, seq] = /^([\w-]+):(\d{1,15})$/.exec(String(id)) ?? [];
  return idEpoch === epoch ? Number(seq) : 0;
}

const event = (name: string, data: string, id?: string): string =>
  `event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`;
