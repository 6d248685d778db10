import { withCleanup } from '../../base/structures/cleanup.js';
import { allDone } from '../../base/structures/turns.js';
import { startInterval } from '../../base/time/interval.js';
import type { Dependencies } from '../../destination/destination-dependencies.js';
import { entriesOf, writeAll } from '../../store/key-value-store.js';
import type { Storage } from '../../store/storage.js';
import type { DestinationConfig } from '../config/service-config.js';
import { errorFields, type Log } from '../service-log.js';
import { ManagedDestination } from './managed-destination.js';
import { openRemoved } from './removed-destinations.js';

export interface ManagedDestinationsOptions {
  readonly storage: Storage;
  readonly dependencies: Dependencies;
  readonly log: Log;
}

/** The prefix of a record for each destination that was ever configured. Its value is `removed` if it is no longer configured. */
const KNOWN = 'destination/';
const REMOVED = 'removed';

/** The interval in ms at which destinations that could not be reopened after a change are tried again. */
const REPAIR_MS = 5_000;

/** Opens, changes and closes the destinations of the configuration. */
export class ManagedDestinations {
  readonly #options: ManagedDestinationsOptions;
  #byName: ReadonlyMap<string, ManagedDestination> = new Map();
  /**
   * The destinations that are no longer configured but still hold waiting deliveries or dead letters. Each is open but sends
   * nothing.
   */
  readonly removed = new Map<string, ManagedDestination>();
  #stopRepairing: () => void = () => {};

  private constructor(options: ManagedDestinationsOptions) {
    this.#options = options;
  }

  /** @throws any error of opening one of them; then none is left open */
  static async open(
    configs: readonly DestinationConfig[],
    options: ManagedDestinationsOptions,
  ): Promise<ManagedDestinations> {
    const managedDestinations = new ManagedDestinations(options);
    managedDestinations.#byName = await managedDestinations.#openAll(configs);
    await managedDestinations.#note();
    managedDestinations.#stopRepairing = startInterval({
      clock: options.dependencies.clock,
      everyMs: REPAIR_MS,
      act: () => managedDestinations.#repair(),
      // `repair` logs each failure itself.
      onError: () => {},
    });
    return managedDestinations;
  }

  get byName(): ReadonlyMap<string, ManagedDestination> {
    return this.#byName;
  }

  /** Returns the configured destinations and the removed ones that still hold deliveries. */
  all(): readonly ManagedDestination[] {
    return [...this.#byName.values(), ...this.removed.values()];
  }

  /** Returns true if the destination is configured, or was at any time. */
  async wasConfigured(name: string): Promise<boolean> {
    return this.#byName.has(name) || (await this.#known()).has(name);
  }

  /** Returns the names of the destinations that are configured or were at any time, because attempts may be kept of each. */
  async everConfigured(): Promise<readonly string[]> {
    return [...new Set([...this.#byName.keys(), ...(await this.#known()).keys()])];
  }

  /**
   * Opens new destinations, reopens those that changed, calls `reroute`, and then closes the removed ones.
   *
   * @throws any error of opening one of them. All destinations then continue as before, or are retried until they can.
   */
  async change(configs: readonly DestinationConfig[], reroute: () => void): Promise<void> {
    const before = this.#byName;
    const added = configs.filter(({ name }) => !before.has(name));
    await this.#release(added.map(({ name }) => name));
    const opened = new Map<string, ManagedDestination>();
    try {
      for (const [name, managed] of await this.#openAll(added)) opened.set(name, managed);
      await this.#changeAll(configs);
    } catch (error) {
      await Promise.allSettled(Array.from(opened.values(), (managed) => managed.close()));
      await this.#note();
      throw error;
    }
    const all = configs.map(({ name }) => [name, before.get(name) ?? opened.get(name)] as const);
    this.#byName = new Map(all.flatMap(([name, managed]) => (managed === undefined ? [] : [[name, managed]])));
    reroute();
    await this.#closeAll([...before.values()].filter(({ name }) => !this.#byName.has(name)));
    await this.#note();
  }

  /** @throws any error of closing one of them, after all are closed */
  async close(): Promise<void> {
    this.#stopRepairing();
    await allDone(this.all().map((managed) => managed.close()));
  }

  /** Closes removed destinations that are configured again, because two on one store would undo each other's work. */
  async #release(names: readonly string[]): Promise<void> {
    const released = names.flatMap((name) => this.removed.get(name) ?? []);
    for (const { name } of released) this.removed.delete(name);
    await Promise.all(released.map((managed) => managed.close()));
  }

  /** Repairs all at the same time, so that a slow one does not delay the others. */
  async #repair(): Promise<void> {
    const down = [...this.#byName.values()].filter(({ isDown }) => isDown);
    const repairs = down.map(async (managed) => {
      try {
        await managed.repair();
      } catch (error) {
        const fields = { destination: managed.name, ...errorFields(error) };
        this.#options.log.error(fields, 'a destination could not be opened');
      }
    });
    await Promise.all(repairs);
  }

  async #openAll(configs: readonly DestinationConfig[]): Promise<Map<string, ManagedDestination>> {
    const { storage, dependencies } = this.#options;
    const known = await this.#known();
    return withCleanup(async (cleanup) => {
      const opened: ManagedDestination[] = [];
      // All are closed at the same time, because each may wait for its requests.
      cleanup.defer(() => Promise.allSettled(opened.map((managed) => managed.close())));
      const opening = configs.map(async (config) => {
        const store = await storage.deliveries(config.name);
        const wasRemoved = known.get(config.name) === REMOVED;
        const managed = await ManagedDestination.open(config, { store, dependencies }, wasRemoved);
        opened.push(managed);
        return [config.name, managed] as const;
      });
      return new Map(await allDone(opening));
    });
  }

  /** Changes all existing destinations, or none of them. */
  async #changeAll(configs: readonly DestinationConfig[]): Promise<void> {
    const changes = configs.flatMap((config) => {
      const managed = this.#byName.get(config.name);
      return managed === undefined ? [] : [{ managed, config, before: managed.config }];
    });
    const ends = await Promise.allSettled(changes.map(({ managed, config }) => managed.change(config)));
    const failure = ends.find((end) => end.status === 'rejected');
    if (failure === undefined) return;
    await Promise.allSettled(changes.map(({ managed, before }) => managed.change(before)));
    throw failure.reason;
  }

  async #closeAll(removed: readonly ManagedDestination[]): Promise<void> {
    const ends = await Promise.allSettled(removed.map((managed) => managed.close()));
    for (const end of ends)
      if (end.status === 'rejected')
        this.#options.log.error(errorFields(end.reason), 'a destination could not be closed');
  }

  /** Records which destinations are configured, opens removed ones that hold deliveries, and logs how many wait there. */
  async #note(): Promise<void> {
    const { storage, log } = this.#options;
    try {
      const known = await this.#known();
      const removed = [...known.keys()].filter((name) => !this.#byName.has(name));
      const now = new Map([
        ...Array.from(this.#byName.keys(), (name) => [name, ''] as const),
        ...removed.map((name) => [name, REMOVED] as const),
      ]);
      const changed = [...now].filter(([name, state]) => known.get(name) !== state);
      const changes = changed.map(([name, value]) => ({ key: KNOWN + encodeURIComponent(name), value }));
      await writeAll(storage.keyValues, changes);
      for (const name of removed) await this.#openRemoved(name);
    } catch (error) {
      log.warn(errorFields(error), 'could not look for destinations that were removed from the configuration');
    }
  }

  /** Reads the record of each destination that was ever configured, by name. */
  async #known(): Promise<ReadonlyMap<string, string>> {
    const known = new Map<string, string>();
    for await (const { key, value } of entriesOf(this.#options.storage.keyValues, KNOWN))
      known.set(decodeURIComponent(key.slice(KNOWN.length)), value);
    return known;
  }

  /** Opens a removed destination unless it holds nothing, and logs how many of its deliveries wait. */
  async #openRemoved(destination: string): Promise<void> {
    const { storage, dependencies, log } = this.#options;
    const store = await storage.deliveries(destination);
    const waiting = (await store.backlog()).reduce((sum, { first, retry }) => sum + first + retry, 0);
    if (waiting + (await store.deadTotals()).events === 0) return;
    if (!this.removed.has(destination))
      this.removed.set(destination, await openRemoved(destination, store, dependencies));
    const text = 'deliveries wait for a destination that was removed from the configuration';
    if (waiting > 0) log.warn({ destination, waiting }, text);
  }
}
