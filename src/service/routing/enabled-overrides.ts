import type { Clock } from '../../clock.js';
import { startInterval } from '../../interval.js';
import type { KeyValueStore } from '../../store/key-value-store.js';
import { SerialQueue } from '../serial-queue.js';
import type { ManagedDestination } from './managed-destination.js';

export interface EnabledOverridesOptions {
  readonly keyValues: KeyValueStore;
  readonly clock: Clock;
  managedDestinations(): Iterable<ManagedDestination>;
  onError(error: unknown): void;
}

/** What stands on the key-value store for a destination that was switched by hand. */
interface EnabledOverride {
  readonly enabled: boolean;
  /** What the configuration said then: once it says something else, the switch is void. */
  readonly configured: boolean;
}

/** How often a process looks whether another has switched a destination, in ms. */
const LOOK_MS = 2_000;

/** Destinations switched on and off by hand, for all processes, until the configuration's `enabled` is changed. */
export class EnabledOverrides {
  readonly #options: EnabledOverridesOptions;
  #stop: (() => void) | undefined;
  /** One after the other: what was read before a switch must not be shown after it. */
  readonly #queue = new SerialQueue();

  constructor(options: EnabledOverridesOptions) {
    this.#options = options;
  }

  /** Reads the overrides now, and from now on. Those that a change of the configuration has made void are removed. */
  async start(): Promise<void> {
    await this.#read('remove void');
    const { clock, onError } = this.#options;
    this.#stop ??= startInterval({ clock, everyMs: LOOK_MS, act: () => this.#read('keep void'), onError });
  }

  /** After the configuration has changed. */
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
    await this.#options.keyValues.write([{ key: keyOf(managed), value }]);
    managed.switched = value === undefined ? undefined : enabled;
  }

  #read(then: 'keep void' | 'remove void'): Promise<void> {
    return this.#queue.run(() => this.#readNow(then));
  }

  /** Another process may still have the configuration for which a switch holds that is void here. */
  async #readNow(then: 'keep void' | 'remove void'): Promise<void> {
    const { keyValues } = this.#options;
    const managedDestinations = [...this.#options.managedDestinations()];
    const values = await keyValues.get(managedDestinations.map(keyOf));
    for (const [index, managed] of managedDestinations.entries()) {
      const found = read(values[index]);
      const holds = found?.configured === managed.config.enabled;
      managed.switched = holds ? found?.enabled : undefined;
      if (found === undefined || holds || then === 'keep void') continue;
      // Unless another process has switched it since.
      await keyValues.writeIf({ key: keyOf(managed), value: values[index] }, [
        { key: keyOf(managed), value: undefined },
      ]);
    }
  }
}

const keyOf = ({ name }: ManagedDestination): string => `switch/${encodeURIComponent(name)}`;

// Only `set` writes such values.
const read = (value: string | undefined): EnabledOverride | undefined =>
  value === undefined ? undefined : JSON.parse(value);
