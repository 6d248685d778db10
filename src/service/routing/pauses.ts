import type { DestinationReport } from '../api/answer-types.js';
import { SharedSwitches, type SharedSwitchesOptions } from './shared-switches.js';

/** A destination, as far as pauses concern it. */
interface Pausable {
  readonly name: string;
  readonly destination: { setPaused(isPaused: boolean): void };
}

type Paused = NonNullable<DestinationReport['pausedBy']>;

/** Destinations that were paused through the API, for all processes, until they are resumed. */
export class Pauses {
  readonly #switches: SharedSwitches;
  readonly #clock: SharedSwitchesOptions['clock'];
  /** While this process does not deliver yet, all destinations are paused in it. */
  #areAllHeld: boolean;

  private constructor(options: SharedSwitchesOptions, areAllHeld: boolean) {
    this.#areAllHeld = areAllHeld;
    this.#clock = options.clock;
    this.#switches = new SharedSwitches('paused/', options);
  }

  /** Reads them before any destination is opened: a paused one must not send between its opening and the first look. */
  static async open(options: SharedSwitchesOptions, { areAllHeld = false } = {}): Promise<Pauses> {
    const pauses = new Pauses(options, areAllHeld);
    await pauses.#switches.read(() => {});
    return pauses;
  }

  has(name: string): boolean {
    return this.#areAllHeld || this.#switches.get(name) !== undefined;
  }

  /** Begins to deliver, except to destinations that were paused through the API. */
  release(managedDestinations: Iterable<Pausable>): void {
    this.#areAllHeld = false;
    this.#apply(managedDestinations);
  }

  /** Who paused it and when; undefined while it is not paused. */
  of(name: string): Paused | undefined {
    const value = this.#switches.get(name);
    // Only `set` writes such values.
    return value === undefined ? undefined : JSON.parse(value);
  }

  /** Looks every 2 s for what other processes have changed. */
  start(managedDestinations: () => Iterable<Pausable>): void {
    this.#switches.start(() => this.#apply(managedDestinations()));
  }

  /** Resolves once it is written; the destination of this process is changed by then. */
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
