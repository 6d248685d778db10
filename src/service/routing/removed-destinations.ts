import type { Dependencies } from '../../destination/destination-dependencies.js';
import { KnownWebhooks, type WebhookName } from '../../destination/endpoints/known-webhooks.js';
import { MAX_WEBHOOKS, RETRY_FOR_MS } from '../../destination/settings/destination-schema.js';
import type { EventStore } from '../../store/event-store.js';
import type { Storage } from '../../store/storage.js';
import type { DestinationConfig } from '../config/service-config.js';
import { ManagedDestination } from './managed-destination.js';

/** What a destination that is no longer configured still holds. */
interface LeftBehind {
  /** The number of deliveries that wait. */
  readonly waiting: number;
  /** The destination, open but sending nothing, so that its deliveries can be listed, moved or discarded. */
  open(): Promise<ManagedDestination>;
}

/** Returns undefined if the destination has neither waiting deliveries nor dead letters. */
export async function leftBehindOf(
  name: string,
  { storage, dependencies }: { readonly storage: Storage; readonly dependencies: Dependencies },
): Promise<LeftBehind | undefined> {
  const store = await storage.deliveries(name);
  const backlog = await store.backlog();
  const waiting = backlog.reduce((sum, { first, retry }) => sum + first + retry, 0);
  const { events } = await store.deadTotals();
  if (waiting + events === 0) return undefined;
  const isPaused = (): boolean => true;
  const open = async (): Promise<ManagedDestination> =>
    ManagedDestination.open(configOf(name, await webhooksIn(store)), {
      store,
      dependencies: { ...dependencies, isPaused },
    });
  return { waiting, open };
}

/** Returns the webhooks as they were last configured, so that opening the destination changes nothing in its store. */
async function webhooksIn(store: EventStore): Promise<readonly WebhookName[]> {
  const known = await KnownWebhooks.of(store);
  if (known.configuredKeys.length > 0) return known.configuredKeys.map((key) => known.nameOf(key));
  const { deliveries } = await store.deadTotals();
  const keys = [...(await store.backlog()), ...deliveries].map(({ url }) => url);
  return [...new Set(keys)].slice(0, MAX_WEBHOOKS).map((key) => known.nameOf(key));
}

const configOf = (name: string, webhooks: readonly WebhookName[]): DestinationConfig => ({
  ...{ name, type: 'Webhooks', enabled: false, settle: 'each', retryFor: RETRY_FOR_MS, allowLoopback: true, webhooks },
});
