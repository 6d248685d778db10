import { setImmediate } from 'node:timers/promises';
import type { Waiting } from '../../delivery/state.js';
import { MeantDeliveries } from '../../destination/dead-letters.js';
import { KnownWebhooks } from '../../destination/known-webhooks.js';
import { shownUrl } from '../../destination/shown-url.js';
import {
  isWaitingCursor,
  type WaitingFilter,
  type WaitingKey,
  waitingCursorOf,
  waitingKeys,
} from '../../destination/waiting.js';
import type { EventStore } from '../../store/event-store.js';
import { attemptReport, messageOf, namesIn } from './dead-letters.js';
import type { WaitingDelivery, WaitingPage } from './delivery-answers.js';
import { iso } from './iso.js';
import { refusals } from './refusals.js';

/** How many places are read at a time, and at most for one page: a filter that nothing fits must not read on and on. */
const PAGE = 256;
const MOST_READ = 10_000;

interface Asked extends WaitingFilter {
  readonly limit: number;
  readonly after: string | undefined;
}

/** The deliveries that wait and for which the filter holds, from the one after a cursor. */
export async function listWaiting(store: EventStore, { limit, after, ...filter }: Asked): Promise<WaitingPage> {
  if (after !== undefined && !isWaitingCursor(after)) throw refusals.invalidQuery('after', 'the `next` of an answer');
  const meant = new MeantDeliveries(filter, await KnownWebhooks.of(store));
  const deliveries: WaitingDelivery[] = [];
  let read = 0;
  for await (const keys of waitingKeys(store, meant, after, PAGE)) {
    for (const key of keys) {
      const delivery = await reportOf(store, key, meant);
      if (delivery !== undefined) deliveries.push(delivery);
      if (deliveries.length === limit) return { deliveries, next: waitingCursorOf(key) };
    }
    read += keys.length;
    const last = keys.at(-1);
    if (read >= MOST_READ && last !== undefined) return { deliveries, next: waitingCursorOf(last) };
    // Reading may take nothing but this process's time.
    await setImmediate();
  }
  return { deliveries };
}

async function reportOf(
  store: EventStore,
  key: WaitingKey,
  meant: MeantDeliveries,
): Promise<WaitingDelivery | undefined> {
  const event = await store.event(key.id, key.partition);
  const [, state] = event === undefined ? [] : (meant.waitingIn(event).find(([url]) => url === key.webhook) ?? []);
  if (event === undefined || state === undefined) return undefined;
  const { id, type, acceptedAt } = event;
  const webhook = { ...meant.known.nameOf(key.webhook), url: shownUrl(meant.known.urlOf(key.webhook)) };
  const names = namesIn(await messageOf(store, key));
  return { id, type, ...names, acceptedAt: iso(acceptedAt), webhook, ...stateReport(state, key) };
}

const stateReport = (
  { phase, due, history }: Waiting,
  { position }: WaitingKey,
): Pick<WaitingDelivery, 'phase' | 'nextAttemptAt' | 'attempts'> => ({
  phase,
  nextAttemptAt: position === 'behind' ? null : iso(due),
  attempts: history.map(attemptReport),
});
