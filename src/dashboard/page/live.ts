import { formatCount } from '../../plural.js';
import type {
  BatchEntry,
  DeliveryEntry,
  EndpointState,
  Entry,
  Hello,
  MessageEntry,
  RejectedEntry,
} from '../server/entry.js';
import { startChart } from './chart.js';
import { copy, say } from './clipboard.js';
import { type Connection, connect, type State } from './connection.js';
import { showDelivery } from './delivery-detail.js';
import { showBatch, showMessage, showRejected } from './detail.js';
import { byId, setText } from './dom.js';
import { endpointLine } from './endpoints.js';
import { matcherOf } from './filter.js';
import { KeyedList } from './keyed-list.js';
import { Pane } from './pane.js';
import { batchColumns, deliveryColumns, messageColumns, rejectedColumns } from './rows.js';
import { devSite, type Site } from './site.js';
import { showState } from './status.js';
import { TypeFilter } from './type-filter.js';

const MESSAGES = 10_000;
const OTHERS = 2_000;

let site = devSite;

const messages = new Pane<MessageEntry>({
  name: 'messages',
  label: 'Messages, newest first',
  detailLabel: 'Message',
  capacity: MESSAGES,
  columns: messageColumns,
  detail: showMessage,
});
const rejected = new Pane<RejectedEntry>({
  name: 'rejected',
  label: 'Rejected messages, newest first',
  detailLabel: 'Rejected message',
  capacity: OTHERS,
  columns: rejectedColumns,
  detail: showRejected,
});
const batches = new Pane<BatchEntry>({
  name: 'batches',
  label: 'Batches, newest first',
  detailLabel: 'Batch',
  capacity: OTHERS,
  columns: batchColumns,
  detail: showBatch,
});
const deliveries = new Pane<DeliveryEntry>({
  name: 'deliveries',
  label: 'Delivery attempts, newest first',
  detailLabel: 'Delivery',
  capacity: OTHERS,
  columns: deliveryColumns,
  detail: (entry, close) => showDelivery(entry, close, site),
});
const panes = { messages, rejected, batches, deliveries };

const filterText = byId('filter-text', HTMLInputElement);
const filterUser = byId('filter-user', HTMLInputElement);
const types = new TypeFilter(() => applyFilter());
const chart = startChart();

// Masked URLs of two webhooks may be equal.
const endpoints = new KeyedList<EndpointState>(
  byId('endpoints', HTMLElement),
  ({ url }, index) => `${index} ${url}`,
  endpointLine,
);

let isPaused = false;
let held: Entry[] = [];
let epoch = '';

// Entries from the feed.

function take(entries: readonly Entry[]): void {
  for (const entry of entries) if (entry.kind === 'message') chart.add(Date.parse(entry.receivedAt));
  chart.draw();
  if (!isPaused) {
    put(entries);
    return;
  }
  held.push(...entries);
  // No more than the logs would keep anyway.
  held = held.slice(-(MESSAGES + 3 * OTHERS));
  drawPause();
}

function put(entries: readonly Entry[]): void {
  const fresh = entries.filter((entry) => entry.kind === 'message');
  for (const { message } of fresh) types.count(message['type']);
  draw({
    messages: messages.log.add(fresh),
    rejected: rejected.log.add(entries.filter((entry) => entry.kind === 'rejected')),
    batches: batches.log.add(entries.filter((entry) => entry.kind === 'batch')),
    deliveries: deliveries.log.add(entries.filter((entry) => entry.kind === 'delivery')),
  });
}

/** Draws all panes. @param added how many entries are new in each */
export function draw(added: Partial<Record<keyof typeof panes, number>> = {}): void {
  messages.update(added.messages);
  rejected.update(added.rejected);
  batches.update(added.batches);
  deliveries.update(added.deliveries);
  types.draw();
  for (const [name, { log }] of Object.entries(panes))
    setText(byId(`count-${name}`, HTMLElement), formatCount(log.total));
  byId('count-rejected', HTMLElement).classList.toggle('alarming', rejected.log.total > 0);
  const isAllHidden = messages.log.size > 0 && messages.log.visible.length === 0;
  byId('empty-filtered', HTMLElement).hidden = !isAllHidden;
  setText(byId('hidden-count', HTMLElement), formatCount(messages.log.size));
}

function forget(): void {
  held = [];
  for (const pane of Object.values(panes)) pane.clear();
  types.resetCounts();
  draw();
  drawPause();
}

// Actions of the user.

function applyFilter(): void {
  messages.log.filter(matcherOf({ types: types.chosen, text: filterText.value, user: filterUser.value }));
  messages.list.toTop();
  draw();
}

function pause(): void {
  isPaused = !isPaused;
  const waiting = held;
  held = [];
  if (!isPaused) put(waiting);
  drawPause();
}

function drawPause(): void {
  const button = byId('pause', HTMLElement);
  button.setAttribute('aria-pressed', String(isPaused));
  const waiting = held.filter(({ kind }) => kind === 'message').length;
  const text = waiting === 0 ? 'Paused' : `${formatCount(waiting)} new`;
  setText(byId('pause-text', HTMLElement), isPaused ? text : 'Pause');
}

async function clear(): Promise<void> {
  forget();
  await site.clear().catch(() => say('The server cannot be reached'));
}

function showEndpoints(shown: readonly EndpointState[]): void {
  byId('endpoints', HTMLElement).hidden = shown.length === 0;
  // The feed tells of them when something happens, so that an age would go stale.
  endpoints.show(shown.map((endpoint) => ({ ...endpoint, oldestDue: undefined })));
}

function greet(hello: Hello): void {
  if (epoch !== '' && epoch !== hello.epoch) forget();
  epoch = hello.epoch;
  setText(byId('snippet', HTMLElement), hello.snippet.join('\n'));
  byId('snippet-box', HTMLElement).hidden = hello.snippet.length === 0;
  byId('how-to-forward', HTMLElement).hidden = hello.isForwarding;
  byId('nothing-forwarded', HTMLElement).hidden = !hello.isForwarding;
  if (!hello.isForwarding) showEndpoints([]);
}

/** Shows the feed of that server. */
export function startLive(from: Site, onState: (state: State) => void = showState): Connection {
  site = from;
  listenToControls();
  return connect(site.feed, {
    onState,
    onHello: greet,
    onEntries: take,
    onEndpoints: showEndpoints,
    onGap: () => say('Some messages were dropped while the page was disconnected'),
    onRefused: () => site.onRefused(),
  });
}

function listenToControls(): void {
  for (const [id, what] of [
    ['snippet', 'Code'],
    ['snippet-webhook', 'Commands'],
  ] as const) {
    const snippet = byId(id, HTMLElement);
    // On a phone the lines are longer than the screen, and a keyboard must reach them too.
    snippet.tabIndex = 0;
    byId(`copy-${id}`, HTMLElement).addEventListener('click', () => void copy(snippet.textContent ?? '', what));
  }
  byId('pause', HTMLElement).addEventListener('click', pause);
  byId('clear', HTMLElement).addEventListener('click', clear);
  byId('reset-filters', HTMLElement).addEventListener('click', () => {
    types.reset();
    filterText.value = '';
    filterUser.value = '';
    applyFilter();
  });
  for (const field of [filterText, filterUser]) {
    field.addEventListener('input', applyFilter);
    field.addEventListener('keydown', ({ key }) => {
      if (key === 'ArrowDown') messages.list.focus();
    });
  }
  // Only while the list has the focus: a letter typed elsewhere is a letter.
  messages.list.host.addEventListener('keydown', (event) => {
    if (event.key !== '/' && event.key !== 'p') return;
    event.preventDefault();
    if (event.key === 'p') pause();
    else filterText.focus();
  });
}
