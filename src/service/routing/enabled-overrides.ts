import type { DestinationReport } from '../api/answer-types.js';
import type { ManagedDestination } from './managed-destination.js';
import { SharedSwitches, type SharedSwitchesOptions } from './shared-switches.js';

export interface EnabledOverridesOptions extends SharedSwitchesOptions {
  managedDestinations(): Iterable<ManagedDestination>;
}

/** Records that a destination was enabled or disabled through the API. */
interface EnabledOverride {
  readonly enabled: boolean;
  /** The configured `enabled` at that time. When the configuration changes it, the override no longer applies. */
  readonly configured: boolean;
  readonly switchedBy: DestinationReport['switchedBy'];
}

/** Keeps which destinations the API has enabled or disabled, for all processes, until the configured `enabled` changes. */
export class EnabledOverrides {
  readonly #options: EnabledOverridesOptions;
  readonly #switches: SharedSwitches;

  constructor(options: EnabledOverridesOptions) {
    this.#options = options;
    this.#switches = new SharedSwitches('switch/', options);
  }

  /** Reads the overrides now and every 2 s. Removes those that a change of the configuration has ended. */
  async start(): Promise<void> {
    await this.settle();
    this.#switches.start(() => this.#apply('keep void'));
  }

  /** Applies the overrides again. It is called after a change of the configuration. */
  settle(): Promise<void> {
    return this.#switches.read(() => this.#apply('remove void'));
  }

  /** Returns who switched the destination and when; undefined while the configuration decides. */
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

  /** Overrides that no longer apply are kept unless asked, because a process with an older configuration may need them. */
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
