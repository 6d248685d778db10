import type { Dependencies } from '../../destination/destination-dependencies.js';
import { KnownWebhooks, type WebhookName } from '../../destination/endpoints/known-webhooks.js';
import { MAX_WEBHOOKS, RETRY_FOR_MS } from '../../destination/settings/destination-schema.js';
import type { EventStore } from '../../store/event-store.js';
import type { DestinationConfig } from '../config/service-config.js';
import { ManagedDestination } from './managed-destination.js';

/** Opens a destination that is no longer configured. It sends nothing, and its deliveries can be listed, moved or discarded. */
export const openRemoved = async (
  name: string,
  store: EventStore,
  dependencies: Dependencies,
): Promise<ManagedDestination> =>
  ManagedDestination.open(configOf(name, await webhooksIn(store)), {
    store,
    dependencies: { ...dependencies, isPaused: () => true },
  });

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
