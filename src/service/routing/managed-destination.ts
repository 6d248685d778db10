import { isDeepStrictEqual } from 'node:util';
import { SerialQueue } from '../../base/structures/turns.js';
import { Destination } from '../../destination/destination.js';
import type { Dependencies } from '../../destination/destination-dependencies.js';
import type { Counters } from '../../destination/reports/reports.js';
import { type DestinationOptions, resolveOptions } from '../../destination/settings/destination-options.js';
import type { EventStore } from '../../store/event-store.js';
import type { DestinationConfig } from '../config/service-config.js';

export interface ManagedDestinationOptions {
  readonly store: EventStore;
  readonly dependencies: Dependencies;
}

/** How long running requests may take to end before a destination is reopened, in ms. */
const REST_MS = 10_000;

/**
 * A configured destination that stays the same object when its configuration changes. While it is reopened, new messages wait,
 * and accepted ones stay in the store.
 */
export class ManagedDestination {
  readonly #options: ManagedDestinationOptions;
  #config: DestinationConfig;
  #destination: Destination;
  #isOpen = true;
  /** Set while the destination is being reopened. */
  #opening: Promise<void> | undefined;
  /** Runs changes, repairs and `close` one at a time, because two destinations on one store would deliver twice. */
  readonly #queue = new SerialQueue();
  #isClosed = false;
  /** The value of `enabled` that the API has set; undefined while the configuration decides. */
  switched: boolean | undefined;

  private constructor(config: DestinationConfig, options: ManagedDestinationOptions, destination: Destination) {
    this.#config = config;
    this.#options = options;
    this.#destination = destination;
  }

  /**
   * @param wasRemoved true if the name was missing from the configuration for a while
   * @throws OptionError
   */
  static async open(
    config: DestinationConfig,
    options: ManagedDestinationOptions,
    wasRemoved = false,
  ): Promise<ManagedDestination> {
    return new ManagedDestination(config, options, await openDestination(config, options, wasRemoved));
  }

  get name(): string {
    return this.#config.name;
  }

  get config(): DestinationConfig {
    return this.#config;
  }

  get destination(): Destination {
    return this.#destination;
  }

  get store(): EventStore {
    return this.#options.store;
  }

  /** Returns the counters since the service was opened. Reopening the destination does not reset them. */
  counters(): Counters {
    return this.#destination.counters();
  }

  get isEnabled(): boolean {
    return this.switched ?? this.#config.enabled;
  }

  /** Resolves when the destination is open again; undefined while it is not being reopened. */
  get opening(): Promise<void> | undefined {
    return this.#opening;
  }

  /** Posts a message once to each webhook, or only to the given one. It first waits until the destination is open. */
  async test(...test: Parameters<Destination['test']>): ReturnType<Destination['test']> {
    while (this.#opening !== undefined) await this.#opening;
    return this.#destination.test(...test);
  }

  /**
   * Reopens the destination with another configuration. Running requests end first, and new messages are still stored until then.
   *
   * @throws any error of opening it. It then continues with the previous configuration, if that can be opened.
   */
  change(config: DestinationConfig): Promise<void> {
    return this.#queue.run(() => this.#change(config));
  }

  /** True while it is being reopened, or after that has failed. */
  get isDown(): boolean {
    return !this.#isOpen && !this.#isClosed;
  }

  /** Opens it again if that failed the last time. @throws any error of opening it */
  repair(): Promise<void> {
    return this.#queue.run(async () => {
      if (this.isDown) await this.#open();
    });
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.#queue.run(() => this.#destination.close());
  }

  async #change(config: DestinationConfig): Promise<void> {
    const before = this.#config;
    resolveOptions(openedAs(config));
    this.#config = config;
    if (this.#isOpen && isDeepStrictEqual(openedAs(before), openedAs(config))) return;
    try {
      await this.#destination.rest({ next: openedAs(config), timeout: REST_MS });
    } catch (error) {
      this.#config = before;
      throw error;
    }
    const opening = this.#reopen(before);
    this.#opening = opening.catch(() => {});
    try {
      await opening;
    } finally {
      this.#opening = undefined;
    }
  }

  async #reopen(before: DestinationConfig): Promise<void> {
    try {
      // The destination gets no more messages, so this waits only for the store.
      await this.#destination.close({ timeout: 0 }).finally(() => {
        this.#isOpen = false;
      });
      await this.#open();
    } catch (error) {
      this.#config = before;
      await this.#open();
      throw error;
    }
  }

  async #open(): Promise<void> {
    const { store, dependencies } = this.#options;
    const counters = this.counters();
    this.#destination = await openDestination(this.#config, { store, dependencies: { ...dependencies, counters } });
    this.#isOpen = true;
  }
}

const openDestination = (
  config: DestinationConfig,
  { store, dependencies }: ManagedDestinationOptions,
  wasRemoved = false,
): Promise<Destination> => Destination.openOn(store, openedAs(config), dependencies, wasRemoved);

/** The destination itself is always enabled, because it still delivers what it has. Routing leaves out disabled destinations. */
export const openedAs = ({ type: _, keepAttempts: __, ...options }: DestinationConfig): DestinationOptions => ({
  ...options,
  enabled: true,
});
