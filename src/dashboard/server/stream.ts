import type { ServerResponse } from 'node:http';
import type { Hello } from './entry.js';
import type { Feed } from './feed.js';
import type { Kept } from './ring.js';

/** How many entries go out together, how long entries are collected for that, and how often silence is broken. */
const ENTRIES_AT_ONCE = 250;
const COLLECT_MS = 30;
const HEARTBEAT_MS = 15_000;
const RECONNECT_MS = 1_000;

/** Where the page left off: the epoch and the number of the last entry it has. */
export function parseEventId(id: string | undefined, epoch: string): number {
  const [, idEpoch, seq] = /^([\w-]+):(\d{1,15})$/.exec(id ?? '') ?? [];
  return idEpoch === epoch ? Number(seq) : 0;
}

/**
 * Sends the feed as server-sent events (HTML, 9.2) from the entry behind `seq` on. It asks the feed for as much as the
 * connection takes, so a slow reader costs no memory; one that is too slow for the ring is told that there is a gap.
 *
 * @param source the only source whose entries are sent; without it all are
 */
export function streamFeed(feed: Feed, response: ServerResponse, hello: Hello, from: number, source?: string): void {
  let seq = from;
  let endpoints: string | undefined;
  let isBlocked = false;
  let timer: NodeJS.Timeout | undefined;
  // To write after the end is an error without a handler; a slow reader stays for a while after it.
  const isOpen = (): boolean => !response.destroyed && !response.writableEnded;
  const isMeant = (entry: Kept): boolean => source === undefined || entry.source === source;
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
    if (!isOpen()) return;
    writeEndpoints();
    while (!isBlocked && isOpen()) {
      const entries = feed.after(seq, ENTRIES_AT_ONCE);
      const last = entries.at(-1);
      if (last === undefined) return;
      if (seq > 0 && feed.hasGapAfter(seq)) write(event('gap', '{}'));
      seq = last.seq;
      const data = entries.filter(isMeant).map(({ json }) => json);
      if (data.length > 0) write(event('entries', `[${data.join(',')}]`, `${hello.epoch}:${seq}`));
    }
  };
  const wake = (): void => {
    timer ??= setTimeout(pump, COLLECT_MS);
  };
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
  write(`retry: ${RECONNECT_MS}\n${event('hello', JSON.stringify(hello))}`);
  const unsubscribe = feed.subscribe(wake);
  const heartbeat = setInterval(() => isOpen() && response.write(':\n\n'), HEARTBEAT_MS);
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

const event = (name: string, data: string, id?: string): string =>
  `event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`;
