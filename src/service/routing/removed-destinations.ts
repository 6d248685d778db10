import type { Dependencies } from '../../destination/destination-dependencies.js';
import { KnownWebhooks, type WebhookName } from '../../destination/endpoints/known-webhooks.js';
import { MAX_WEBHOOKS, RETRY_FOR_MS } from '../../destination/settings/destination-schema.js';
import type { EventStore } from '../../store/event-store.js';
import type { Storage } from '../../store/storage.js';
import type { DestinationConfig } from '../config/service-config.js';
import { ManagedDestination } from './managed-destination.js';

export interface RemovedDestinationsOptions {
  readonly storage: Storage;
  readonly dependencies: Dependencies;
}

/**
 * The destinations that are no longer configured but still hold waiting deliveries or dead letters. Each is open but sends
 * nothing, so that its deliveries can be listed, moved to another destination, or discarded.
 */
export class RemovedDestinations {
  readonly #options: RemovedDestinationsOptions;
  readonly #byName = new Map<string, ManagedDestination>();

  constructor(options: RemovedDestinationsOptions) {
    this.#options = options;
  }

  get byName(): ReadonlyMap<string, ManagedDestination> {
    return this.#byName;
  }

  /** Opens a removed destination, unless it holds nothing. Returns how many of its deliveries wait. */
  async open(name: string): Promise<number> {
    const { storage, dependencies } = this.#options;
    const store = await storage.deliveries(name);
    const waiting = await waitingIn(store);
    const { events } = await store.deadTotals();
    if (waiting + events > 0 && !this.#byName.has(name)) {
      const config = configOf(name, await webhooksIn(store));
      const isPaused = (): boolean => true;
      const managed = await ManagedDestination.open(config, { store, dependencies: { ...dependencies, isPaused } });
      this.#byName.set(name, managed);
    }
    return waiting;
  }

  /** Closes destinations whose names are configured again, because two on one store would undo each other's work. */
  async release(names: Iterable<string>): Promise<void> {
    const released = Array.from(names, (name) => this.#byName.get(name)).filter((managed) => managed !== undefined);
    for (const { name } of released) this.#byName.delete(name);
    await Promise.all(released.map((managed) => managed.close()));
  }

  close(): Promise<void> {
    return this.release([...this.#byName.keys()]);
  }
}

async function waitingIn(store: EventStore): Promise<number> {
  const backlog = await store.backlog();
  return backlog.reduce((sum, { first, retry }) => sum + first + retry, 0);
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
