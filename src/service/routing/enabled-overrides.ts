import type { DestinationReport } from '../api/answer-types.js';
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
  readonly switchedBy: DestinationReport['switchedBy'];
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

  /** Who switched it and when; undefined while the configuration decides. */
  by(managed: ManagedDestination): DestinationReport['switchedBy'] | undefined {
    return managed.switched === undefined ? undefined : this.#read(managed)?.switchedBy;
  }

  set(managed: ManagedDestination, enabled: boolean, by: string): Promise<void> {
    const at = new Date(this.#options.clock.wall()).toISOString();
    const valueNow = (): string | undefined => {
      const configured = managed.config.enabled;
      const switchedBy = this.by(managed) ?? { by, at };
      const override: EnabledOverride = { enabled, configured, switchedBy };
      return enabled === configured ? undefined : JSON.stringify(override);
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
