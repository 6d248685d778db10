import type { Clock } from '../../base/time/clock.js';
import { startInterval } from '../../base/time/interval.js';
import { entriesOf, type KeyValueStore, writeAll } from '../../store/key-value-store.js';
import { SerialQueue } from '../turns.js';
import type { ManagedDestination } from './managed-destination.js';

export interface EnabledOverridesOptions {
  readonly keyValues: KeyValueStore;
  readonly clock: Clock;
  managedDestinations(): Iterable<ManagedDestination>;
  onError(error: unknown): void;
}

/** The record of a destination that was enabled or disabled through the API. */
interface EnabledOverride {
  readonly enabled: boolean;
  /** The `enabled` of the configuration at that time: once it differs, the override is void. */
  readonly configured: boolean;
}

/** On the key-value store, for each destination that has one, and alone for any: without that the store was emptied. */
const SWITCH = 'switch/';

/** A process looks this often for overrides of other processes, in ms. */
const LOOK_MS = 2_000;

/** Destinations enabled or disabled through the API, for all processes, until the `enabled` of the configuration changes. */
export class EnabledOverrides {
  readonly #options: EnabledOverridesOptions;
  #stop: (() => void) | undefined;
  /** One at a time: a value read before a write must not be shown after it. */
  readonly #queue = new SerialQueue();
  /** By the names of the destinations, as they were read or written last. */
  #values = new Map<string, string>();

  constructor(options: EnabledOverridesOptions) {
    this.#options = options;
  }

  /** Reads the overrides now and every 2 s. Removes those that a change of the configuration has made void. */
  async start(): Promise<void> {
    await this.#read('remove void');
    const { clock, onError } = this.#options;
    this.#stop ??= startInterval({ clock, everyMs: LOOK_MS, act: () => this.#read('keep void'), onError });
  }

  /** Called after a change of the configuration. */
  async settle(): Promise<void> {
    await this.#read('remove void');
  }

  set(managed: ManagedDestination, enabled: boolean): Promise<void> {
    return this.#queue.run(() => this.#write(managed, enabled));
  }

  stop(): void {
    this.#stop?.();
  }

  async #write(managed: ManagedDestination, enabled: boolean): Promise<void> {
    const configured = managed.config.enabled;
    const value =
      enabled === configured ? undefined : JSON.stringify({ enabled, configured } satisfies EnabledOverride);
    await this.#options.keyValues.write([{ key: keyOf(managed.name), value }]);
    if (value === undefined) this.#values.delete(managed.name);
    else this.#values.set(managed.name, value);
    managed.switched = value === undefined ? undefined : enabled;
  }

  #read(then: 'keep void' | 'remove void'): Promise<void> {
    return this.#queue.run(() => this.#readNow(then));
  }

  /** In another process, with an older configuration, an override may hold that is void here. */
  async #readNow(then: 'keep void' | 'remove void'): Promise<void> {
    const { keyValues } = this.#options;
    const managedDestinations = [...this.#options.managedDestinations()];
    const values = await this.#readOrRestore();
    this.#values = values;
    for (const managed of managedDestinations) {
      const value = values.get(managed.name);
      const found = read(value);
      const holds = found?.configured === managed.config.enabled;
      managed.switched = holds ? found?.enabled : undefined;
      if (found === undefined || holds || then === 'keep void') continue;
      // Unless another process has changed it since.
      const key = keyOf(managed.name);
      await keyValues.writeIf({ key, value }, [{ key, value: undefined }]);
    }
  }

  /** A store that was emptied switches nothing: what this process knows is written again. */
  async #readOrRestore(): Promise<Map<string, string>> {
    const { keyValues } = this.#options;
    const values = new Map<string, string>();
    for await (const { key, value } of entriesOf(keyValues, SWITCH))
      values.set(decodeURIComponent(key.slice(SWITCH.length)), value);
    if (values.delete('')) return values;
    const known = new Map([...this.#values, ...values]);
    const changes = [...known, ['', '1'] as const].map(([name, value]) => ({ key: keyOf(name), value }));
    await writeAll(keyValues, changes);
    return known;
  }
}

const keyOf = (name: string): string => SWITCH + encodeURIComponent(name);

// Only `set` writes such values.
const read = (value: string | undefined): EnabledOverride | undefined =>
  value === undefined ? undefined : JSON.parse(value);
