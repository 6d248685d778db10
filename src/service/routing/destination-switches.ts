import { SerialQueue } from '../../base/structures/turns.js';
import type { Clock } from '../../base/time/clock.js';
import { startInterval } from '../../base/time/interval.js';
import { entriesOf, type KeyValueStore, writeAll } from '../../store/key-value-store.js';
import type { DestinationReport } from '../api/answer-types.js';
import type { ManagedDestination } from './managed-destination.js';

export interface DestinationSwitchesOptions {
  readonly keyValues: KeyValueStore;
  readonly clock: Clock;
  managedDestinations(): Iterable<ManagedDestination>;
  onError(error: unknown): void;
}

/** What the API can switch at a destination. */
export type SwitchName = 'paused' | 'enabled';

/** Who switched a destination, and when. */
type Switched = NonNullable<DestinationReport['switchedBy']>;

/** Records that a destination was switched through the API to another state than the configured one. */
interface Switch {
  readonly isOn: boolean;
  /** What was configured at that time. When the configuration changes it, the switch no longer applies. */
  readonly configured: boolean;
  readonly switchedBy: Switched;
}

const PREFIX = 'switch/';

/** The interval in ms at which a process checks what other processes have set. */
const LOOK_MS = 2_000;

const keyOf = (name: SwitchName, destination: string): string => `${PREFIX}${name}/${encodeURIComponent(destination)}`;

/**
 * Keeps what the API has set for destinations, for all processes: a pause, until they are resumed, and an override of the
 * configured `enabled`, until the configuration changes that. Each has a key, and one more key always exists, so that a store
 * that was emptied can be detected. Reads and writes run one at a time, because values that were read before a write must not be
 * applied after it.
 */
export class DestinationSwitches {
  readonly #options: DestinationSwitchesOptions;
  readonly #queue = new SerialQueue();
  /** The values by key, as they were last read or written. */
  #values: ReadonlyMap<string, string> = new Map();
  /** True while this process does not deliver yet; all destinations are then paused in it. */
  #areAllHeld: boolean;
  #stop: () => void = () => {};

  private constructor(options: DestinationSwitchesOptions, areAllHeld: boolean) {
    this.#options = options;
    this.#areAllHeld = areAllHeld;
  }

  /** Reads the switches before any destination is opened, because a paused one must not send before they are first read. */
  static async open(options: DestinationSwitchesOptions, { areAllHeld = false } = {}): Promise<DestinationSwitches> {
    const switches = new DestinationSwitches(options, areAllHeld);
    switches.#values = await switches.#readOrRestore();
    return switches;
  }

  /** Applies the switches to the open destinations, now and every 2 s. */
  async start(): Promise<void> {
    const { clock, onError } = this.#options;
    await this.settle();
    this.#stop = startInterval({ clock, everyMs: LOOK_MS, act: () => this.#queue.run(() => this.#look()), onError });
  }

  /**
   * Applies the switches again, and removes overrides that a change of the configuration has ended. Otherwise these are kept,
   * because a process with an older configuration may need them.
   */
  settle(): Promise<void> {
    return this.#queue.run(async () => {
      await this.#look();
      for (const managed of [...this.#options.managedDestinations()]) {
        const key = keyOf('enabled', managed.name);
        const value = this.#values.get(key);
        const isVoid = value !== undefined && managed.switched === undefined;
        // Another process may have changed it since it was read.
        if (isVoid) await this.#options.keyValues.writeIf({ key, value }, [{ key, value: undefined }]);
      }
    });
  }

  /** Starts delivering, except to destinations that are paused through the API. */
  release(): void {
    this.#areAllHeld = false;
    this.#apply();
  }

  isPaused(destination: string): boolean {
    return this.#areAllHeld || this.pausedBy(destination) !== undefined;
  }

  /** Returns undefined while the destination is not paused through the API. */
  pausedBy(destination: string): Switched | undefined {
    return this.#read('paused', destination)?.switchedBy;
  }

  /** Returns undefined while the configuration decides whether the destination is enabled. */
  enabledBy(managed: ManagedDestination): Switched | undefined {
    return managed.switched === undefined ? undefined : this.#read('enabled', managed.name)?.switchedBy;
  }

  /** Resolves when the change is written. By then it also applies to the destination in this process. */
  set(managed: ManagedDestination, name: SwitchName, isOn: boolean, by: string): Promise<void> {
    const { keyValues, clock } = this.#options;
    const at = new Date(clock.wall()).toISOString();
    return this.#queue.run(async () => {
      // No configuration pauses a destination.
      const configured = name === 'enabled' && managed.config.enabled;
      const before = name === 'paused' ? this.pausedBy(managed.name) : this.enabledBy(managed);
      const next: Switch = { isOn, configured, switchedBy: before ?? { by, at } };
      const [key, value] = [keyOf(name, managed.name), isOn === configured ? undefined : JSON.stringify(next)];
      await keyValues.write([{ key, value }]);
      const values = new Map(this.#values);
      if (value === undefined) values.delete(key);
      else values.set(key, value);
      this.#values = values;
      this.#applyTo(managed);
    });
  }

  stop(): void {
    this.#stop();
  }

  async #look(): Promise<void> {
    this.#values = await this.#readOrRestore();
    this.#apply();
  }

  #apply(): void {
    for (const managed of this.#options.managedDestinations()) this.#applyTo(managed);
  }

  #applyTo(managed: ManagedDestination): void {
    managed.destination.setPaused(this.isPaused(managed.name));
    const override = this.#read('enabled', managed.name);
    managed.switched = override?.configured === managed.config.enabled ? override.isOn : undefined;
  }

  #read(name: SwitchName, destination: string): Switch | undefined {
    const value = this.#values.get(keyOf(name, destination));
    // Only `set` writes such values.
    return value === undefined ? undefined : JSON.parse(value);
  }

  /** Reads all values. If the store was emptied, it first writes the known values again, so that nothing is switched. */
  async #readOrRestore(): Promise<Map<string, string>> {
    const { keyValues } = this.#options;
    const values = new Map<string, string>();
    for await (const { key, value } of entriesOf(keyValues, PREFIX)) values.set(key, value);
    if (values.delete(PREFIX)) return values;
    const known = new Map([...this.#values, ...values]);
    const changes = [...known, [PREFIX, '1'] as const].map(([key, value]) => ({ key, value }));
    await writeAll(keyValues, changes);
    return known;
  }
}
