import { batch, computed, signal } from '@preact/signals';
import type {
  BatchEntry,
  DeliveryEntry,
  EndpointState,
  FeedEntry,
  Hello,
  MessageEntry,
  RejectedEntry,
} from '../../server/entry.js';
import { say } from '../ui/toast.js';
import { EntryLog } from './message-log.js';
import { Rates } from './rates.js';
import { site } from './site.js';

/** The state of the connection to the server. */
export type ConnectionState = 'connecting' | 'live' | 'lost';

const [MESSAGES, OTHERS] = [10_000, 2_000];
const AGAIN_AFTER_MS = 1_500;

/** The entries of the feed. A view that draws them reads `drawn` first, so that it is drawn again when they change. */
export const logs = {
  message: new EntryLog<MessageEntry>(MESSAGES),
  rejected: new EntryLog<RejectedEntry>(OTHERS),
  batch: new EntryLog<BatchEntry>(OTHERS),
  delivery: new EntryLog<DeliveryEntry>(OTHERS),
};
/** The number of messages of each type. */
export const countsByType = new Map<string, number>();
export const rates = new Rates(60);

/** Grows when the logs have changed, at most once a frame, so that many entries are drawn together. */
export const drawn = signal(0);
export const feedState = signal<ConnectionState>('connecting');
export const hello = signal<Hello | undefined>(undefined);
export const endpoints = signal<readonly EndpointState[]>([]);
export const isPaused = signal(false);
/** The entries that arrived while the lists were paused. */
const held = signal<readonly FeedEntry[]>([]);
export const heldMessages = computed(() => held.value.filter(({ kind }) => kind === 'message').length);

let isAsked = false;
let path = '';
let stream: EventSource | undefined;
let timer = 0;
/** The last entry that arrived; the next connection continues after it. */
let [epoch, lastSeq] = ['', 0];

/** Draws in the next frame. A hidden page has no frames, so it draws when it becomes visible again. */
function drawSoon(): void {
  if (isAsked) return;
  isAsked = true;
  requestAnimationFrame(() => {
    isAsked = false;
    drawn.value++;
  });
}

function greet(greeting: Hello): void {
  // The server was restarted: it numbers entries from the beginning, and no longer has what the page shows.
  if (greeting.epoch !== epoch) {
    if (hello.value !== undefined) forget();
    [epoch, lastSeq] = [greeting.epoch, 0];
  }
  hello.value = greeting;
  if (!greeting.isForwarding) endpoints.value = [];
  feedState.value = 'live';
}

/** Adds entries, given oldest first. After the browser has reconnected by itself, some may arrive twice and are skipped. */
function take(entries: readonly FeedEntry[]): void {
  const fresh = entries.filter(({ seq }) => seq > lastSeq);
  lastSeq = fresh.at(-1)?.seq ?? lastSeq;
  for (const entry of fresh) if (entry.kind === 'message') rates.add(Date.parse(entry.receivedAt), 1);
  if (isPaused.value) {
    // The logs would not keep more than this anyway.
    held.value = [...held.value, ...fresh].slice(-(MESSAGES + 3 * OTHERS));
  } else {
    put(fresh);
  }
}

function put(entries: readonly FeedEntry[]): void {
  const messages = entries.filter((entry) => entry.kind === 'message');
  for (const { message } of messages) {
    const type = String(message['type']);
    countsByType.set(type, (countsByType.get(type) ?? 0) + 1);
  }
  logs.message.add(messages);
  logs.rejected.add(entries.filter((entry) => entry.kind === 'rejected'));
  logs.batch.add(entries.filter((entry) => entry.kind === 'batch'));
  logs.delivery.add(entries.filter((entry) => entry.kind === 'delivery'));
  drawSoon();
}

/** Removes all entries. */
export function forget(): void {
  batch(() => {
    held.value = [];
    for (const log of Object.values(logs)) log.clear();
    countsByType.clear();
    drawn.value++;
  });
}

/** Starts holding new entries back. */
export function pause(): void {
  isPaused.value = true;
}

/** Shows the entries that were held back, and continues. */
export function resume(): void {
  batch(() => {
    isPaused.value = false;
    put(held.value);
    held.value = [];
    drawn.value++;
  });
}

/** Opens the feed, for one source or for all. A second call for the same feed changes nothing. */
export function listen(source = ''): void {
  const asked = source === '' ? site.feed : `${site.feed}?source=${encodeURIComponent(source)}`;
  if (asked === path) return;
  if (path !== '') forget();
  path = asked;
  [epoch, lastSeq] = ['', 0];
  open();
}

/** Connects, and continues after the last entry that arrived, if any. */
function open(): void {
  close();
  feedState.value = 'connecting';
  const after = epoch === '' ? '' : `${path.includes('?') ? '&' : '?'}after=${epoch}:${lastSeq}`;
  const opened = new EventSource(`.${path}${after}`);
  opened.addEventListener('hello', ({ data }) => greet(JSON.parse(data)));
  opened.addEventListener('entries', ({ data }) => take(JSON.parse(data)));
  opened.addEventListener('endpoints', ({ data }) => {
    endpoints.value = JSON.parse(data);
  });
  opened.addEventListener('gap', () => say('Some messages were dropped while the page was disconnected'));
  opened.addEventListener('error', () => {
    feedState.value = 'lost';
    // The browser reconnects by itself, except after an answer that is not a stream.
    if (opened.readyState !== EventSource.CLOSED) return;
    timer = setTimeout(open, AGAIN_AFTER_MS);
    site.onRefused();
  });
  stream = opened;
}

function close(): void {
  clearTimeout(timer);
  stream?.close();
}

/** Disconnects while the page is hidden, because a service records events while a page is connected. */
export function listenOnlyInSight(): void {
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) close();
    else if (path !== '') open();
  });
}
