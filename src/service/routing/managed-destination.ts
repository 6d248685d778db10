import { isDeepStrictEqual } from 'node:util';
import { Destination } from '../../destination/destination.js';
import type { Dependencies } from '../../destination/destination-dependencies.js';
import type { Counters } from '../../destination/reports/reports.js';
import { type DestinationOptions, resolveOptions } from '../../destination/settings/destination-options.js';
import type { EventStore } from '../../store/event-store.js';
import { optionsOf } from '../config/destinations.js';
import type { DestinationConfig } from '../config/service-config.js';
import { SerialQueue } from '../turns.js';

export interface ManagedDestinationOptions {
  readonly store: EventStore;
  readonly dependencies: Dependencies;
}

/** Requests may take so many ms to end before a destination is opened anew. */
const REST_MS = 10_000;

/**
 * A configured destination, through all changes of its configuration: while it is reopened, new messages wait for that, and
 * accepted ones stay in the store.
 */
export class ManagedDestination {
  readonly #options: ManagedDestinationOptions;
  #config: DestinationConfig;
  #destination: Destination;
  #isOpen = true;
  #countersBefore: Counters | undefined;
  /** While the destination is being reopened. */
  #opening: Promise<void> | undefined;
  /** Changes, repairs and the end, one at a time: two destinations on one store would deliver everything twice. */
  readonly #queue = new SerialQueue();
  #isClosed = false;
  /** `enabled`, as it was set through the API; undefined while the configuration decides. */
  switched: boolean | undefined;

  private constructor(config: DestinationConfig, options: ManagedDestinationOptions, destination: Destination) {
    this.#config = config;
    this.#options = options;
    this.#destination = destination;
  }

  /**
   * @param wasRemoved whether the configuration did not have its name for a while
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

  /** The counters since the service was opened, however often the destination was reopened. */
  counters(): Counters {
    const now = this.#destination.counters();
    return this.#countersBefore === undefined
      ? now
      : this.#isOpen
        ? sum(this.#countersBefore, now)
        : this.#countersBefore;
  }

  get isEnabled(): boolean {
    return this.switched ?? this.#config.enabled;
  }

  /** Resolves once it is open again; undefined while it is not being reopened. */
  get opening(): Promise<void> | undefined {
    return this.#opening;
  }

  /** Posts a message once to each webhook, or to the one meant, and waits while the destination is being reopened. */
  async test(...test: Parameters<Destination['test']>): ReturnType<Destination['test']> {
    while (this.#opening !== undefined) await this.#opening;
    return this.#destination.test(...test);
  }

  /**
   * Goes on with another configuration. Requests in flight end first; meanwhile new messages are stored.
   *
   * @throws what opening it throws; then it goes on with the configuration before, if that can be opened.
   */
  change(config: DestinationConfig): Promise<void> {
    return this.#queue.run(() => this.#change(config));
  }

  /** True when it could not be opened the last time, or is being reopened. */
  get isDown(): boolean {
    return !this.#isOpen && !this.#isClosed;
  }

  /** Opens it if that failed the last time. @throws what opening it throws */
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
      // It gets no messages any longer, so this waits for the store alone.
      await this.#destination.close({ timeout: 0 }).finally(() => this.#noteClosed());
      await this.#open();
    } catch (error) {
      this.#config = before;
      await this.#open();
      throw error;
    }
  }

  #noteClosed(): void {
    if (this.#isOpen) this.#countersBefore = this.counters();
    this.#isOpen = false;
  }

  async #open(): Promise<void> {
    this.#destination = await openDestination(this.#config, this.#options);
    this.#isOpen = true;
  }
}

const openDestination = (
  config: DestinationConfig,
  { store, dependencies }: ManagedDestinationOptions,
  wasRemoved = false,
): Promise<Destination> => Destination.openOn(store, openedAs(config), dependencies, wasRemoved);

/** Always enabled: routing leaves out a destination that is not, and it still delivers what it has. */
const openedAs = (config: DestinationConfig): DestinationOptions => ({
  ...optionsOf(config),
  name: config.name,
  enabled: true,
});

function sum(before: Counters, now: Counters): Counters {
  const add = <T extends Record<string, number>>(one: T, other: T): T =>
    // The same keys, and still numbers.
    Object.fromEntries(Object.entries(one).map(([key, value]) => [key, value + (other[key] ?? 0)])) as T;
  const { results: resultsBefore, dropped: droppedBefore, ...totalsBefore } = before;
  const { results, dropped, ...totals } = now;
  return {
    ...add(totalsBefore, totals),
    results: add(resultsBefore, results),
    dropped: add(droppedBefore, dropped),
  };
}
