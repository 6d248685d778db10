import { batch, computed, signal } from '@preact/signals';
import type {
  BatchEntry,
  DeliveryEntry,
  EndpointState,
  Entry,
  Hello,
  MessageEntry,
  RejectedEntry,
} from '../../server/entry.js';
import { say } from '../ui/toast.js';
import { type Connection, connect, type State } from './connection.js';
import type { Filter } from './filter.js';
import { matcherOf } from './filter.js';
import { Log } from './log.js';
import { Rates } from './rates.js';
import type { Site } from './site.js';

const [MESSAGES, OTHERS] = [10_000, 2_000];

/** What has come from the feed. A view that draws them reads `drawn` first. */
export const logs = {
  message: new Log<MessageEntry>(MESSAGES),
  rejected: new Log<RejectedEntry>(OTHERS),
  batch: new Log<BatchEntry>(OTHERS),
  delivery: new Log<DeliveryEntry>(OTHERS),
};
/** How many messages of each type came. */
export const countsByType = new Map<string, number>();
export const rates = new Rates(60);

/** Grows when the logs have changed, once a frame at most: what comes in between is drawn together. */
export const drawn = signal(0);
export const feedState = signal<State>('connecting');
export const hello = signal<Hello | undefined>(undefined);
export const endpoints = signal<readonly EndpointState[]>([]);
export const isPaused = signal(false);
/** Entries that came while the lists were paused. */
const held = signal<readonly Entry[]>([]);
export const heldMessages = computed(() => held.value.filter(({ kind }) => kind === 'message').length);

let isAsked = false;
let connection: Connection | undefined;
let path = '';

/** Draws in the next frame. A page out of sight has none, and draws when it is seen again. */
function drawSoon(): void {
  if (isAsked) return;
  isAsked = true;
  requestAnimationFrame(() => {
    isAsked = false;
    drawn.value++;
  });
}

function take(entries: readonly Entry[]): void {
  for (const entry of entries) if (entry.kind === 'message') rates.add(Date.parse(entry.receivedAt), 1);
  if (isPaused.value) {
    // No more than the logs would keep anyway.
    held.value = [...held.value, ...entries].slice(-(MESSAGES + 3 * OTHERS));
  } else {
    put(entries);
  }
}

function put(entries: readonly Entry[]): void {
  const fresh = entries.filter((entry) => entry.kind === 'message');
  for (const { message } of fresh) {
    const type = String(message['type']);
    countsByType.set(type, (countsByType.get(type) ?? 0) + 1);
  }
  logs.message.add(fresh);
  logs.rejected.add(entries.filter((entry) => entry.kind === 'rejected'));
  logs.batch.add(entries.filter((entry) => entry.kind === 'batch'));
  logs.delivery.add(entries.filter((entry) => entry.kind === 'delivery'));
  drawSoon();
}

/** Forgets all that came. */
export function forget(): void {
  batch(() => {
    held.value = [];
    for (const log of Object.values(logs)) log.clear();
    countsByType.clear();
    drawn.value++;
  });
}

/** Holds back what comes, or shows what was held back. */
export function togglePause(): void {
  batch(() => {
    isPaused.value = !isPaused.value;
    const waiting = held.value;
    held.value = [];
    if (isPaused.value) return;
    put(waiting);
    drawn.value++;
  });
}

/** Shows the messages that pass. */
export function filterMessages(filter: Filter): void {
  logs.message.filter(matcherOf(filter));
}

/** Listens to the feed of that server, of one source or of all. Asked again for the same it goes on. */
export function listen(site: Site, source = ''): void {
  const asked = source === '' ? site.feed : `${site.feed}?source=${encodeURIComponent(source)}`;
  if (asked === path) return;
  connection?.close();
  if (path !== '') forget();
  path = asked;
  connection = connect(path, {
    onState: (state) => {
      feedState.value = state;
    },
    onHello(greeting) {
      if (hello.value !== undefined && hello.value.epoch !== greeting.epoch) forget();
      hello.value = greeting;
      if (!greeting.isForwarding) endpoints.value = [];
    },
    onEntries: take,
    onEndpoints(shown) {
      endpoints.value = shown;
    },
    onGap: () => say('Some messages were dropped while the page was disconnected'),
    onRefused: () => site.onRefused(),
  });
}

/** The service records while a page listens; a page out of sight does not. */
export function listenOnlyInSight(): void {
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) connection?.close();
    else connection?.open();
  });
}
