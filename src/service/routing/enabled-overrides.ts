import type { ManagedDestination } from './managed-destination.js';
import { SharedSwitches, type SharedSwitchesOptions } from './shared-switches.js';

export interface EnabledOverridesOptions extends SharedSwitchesOptions {
  managedDestinations(): Iterable<ManagedDestination>;
}

/** The record of a destination that was enabled or disabled through the API. */
interface EnabledOverride {
  readonly enabled: boolean;
  /** The `enabled` of the configuration at that time: once it differs, the override is void. */
  readonly configured: boolean;
}

/** Destinations enabled or disabled through the API, for all processes, until the `enabled` of the configuration changes. */
export class EnabledOverrides {
  readonly #options: EnabledOverridesOptions;
  readonly #switches: SharedSwitches;

  constructor(options: EnabledOverridesOptions) {
    this.#options = options;
    this.#switches = new SharedSwitches('switch/', options);
  }

  /** Reads the overrides now and every 2 s. Removes those that a change of the configuration has made void. */
  async start(): Promise<void> {
    await this.settle();
    this.#switches.start(() => this.#apply('keep void'));
  }

  /** Called after a change of the configuration. */
  settle(): Promise<void> {
    return this.#switches.read(() => this.#apply('remove void'));
  }

  set(managed: ManagedDestination, enabled: boolean): Promise<void> {
    const valueNow = (): string | undefined => {
      const configured = managed.config.enabled;
      return enabled === configured ? undefined : JSON.stringify({ enabled, configured } satisfies EnabledOverride);
    };
    return this.#switches.set(managed.name, valueNow, () => {
      managed.switched = this.#read(managed)?.enabled;
    });
  }

  stop(): void {
    this.#switches.stop();
  }

  /** In another process, with an older configuration, an override may hold that is void here. */
  async #apply(then: 'keep void' | 'remove void'): Promise<void> {
    for (const managed of [...this.#options.managedDestinations()]) {
      const found = this.#read(managed);
      const holds = found?.configured === managed.config.enabled;
      managed.switched = holds ? found?.enabled : undefined;
      if (found !== undefined && !holds && then === 'remove void') await this.#switches.remove(managed.name);
    }
  }

  #read({ name }: ManagedDestination): EnabledOverride | undefined {
    const value = this.#switches.get(name);
    // Only `set` writes such values.
    return value === undefined ? undefined : JSON.parse(value);
  }
}
