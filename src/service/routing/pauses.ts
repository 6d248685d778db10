import type { DestinationReport } from '../api/answer-types.js';
import { SharedSwitches, type SharedSwitchesOptions } from './shared-switches.js';

/** The parts of a destination that pausing needs. */
interface Pausable {
  readonly name: string;
  readonly destination: { setPaused(isPaused: boolean): void };
}

type Paused = NonNullable<DestinationReport['pausedBy']>;

/** Keeps which destinations are paused through the API, for all processes, until they are resumed. */
export class Pauses {
  readonly #switches: SharedSwitches;
  readonly #clock: SharedSwitchesOptions['clock'];
  /** True while this process does not deliver yet; all destinations are then paused in it. */
  #areAllHeld: boolean;

  private constructor(options: SharedSwitchesOptions, areAllHeld: boolean) {
    this.#areAllHeld = areAllHeld;
    this.#clock = options.clock;
    this.#switches = new SharedSwitches('paused/', options);
  }

  /** Reads the pauses before any destination is opened, because a paused one must not send before they are first read. */
  static async open(options: SharedSwitchesOptions, { areAllHeld = false } = {}): Promise<Pauses> {
    const pauses = new Pauses(options, areAllHeld);
    await pauses.#switches.read(() => {});
    return pauses;
  }

  has(name: string): boolean {
    return this.#areAllHeld || this.#switches.get(name) !== undefined;
  }

  /** Starts delivering, except to destinations that are paused through the API. */
  release(managedDestinations: Iterable<Pausable>): void {
    this.#areAllHeld = false;
    this.#apply(managedDestinations);
  }

  /** Returns who paused the destination and when; undefined while it is not paused. */
  of(name: string): Paused | undefined {
    const value = this.#switches.get(name);
    // Only `set` writes such values.
    return value === undefined ? undefined : JSON.parse(value);
  }

  /** Checks every 2 s what other processes have changed. */
  start(managedDestinations: () => Iterable<Pausable>): void {
    this.#switches.start(() => this.#apply(managedDestinations()));
  }

  /** Resolves when the change is written. By then it also applies to the destination in this process. */
  set({ name, destination }: Pausable, isPaused: boolean, by: string): Promise<void> {
    const at = new Date(this.#clock.wall()).toISOString();
    return this.#switches.set(
      name,
      () => (isPaused ? JSON.stringify(this.of(name) ?? ({ by, at } satisfies Paused)) : undefined),
      () => destination.setPaused(isPaused),
    );
  }

  stop(): void {
    this.#switches.stop();
  }

  #apply(managedDestinations: Iterable<Pausable>): void {
    for (const { name, destination } of managedDestinations) destination.setPaused(this.has(name));
  }
}
