import type { Clock } from '../../base/time/clock.js';
import { startInterval } from '../../base/time/interval.js';
import { entriesOf, type KeyValueStore, writeAll } from '../../store/key-value-store.js';
import { SerialQueue } from '../turns.js';

/** A destination, as far as pauses concern it. */
interface Pausable {
  readonly name: string;
  readonly destination: { setPaused(isPaused: boolean): void };
}

export interface PausesOptions {
  readonly keyValues: KeyValueStore;
  readonly clock: Clock;
  onError(error: unknown): void;
}

/** On the key-value store, for each destination that is paused, and alone for any: without that the store was emptied. */
const PAUSED = 'paused/';

/** A process looks this often for what other processes have paused, in ms. */
const LOOK_MS = 2_000;

/** Destinations that were paused through the API, for all processes, until they are resumed. */
export class Pauses {
  readonly #options: PausesOptions;
  #names = new Set<string>();
  #stop: (() => void) | undefined;
  /** One at a time: what was read before a write must not be applied after it. */
  readonly #queue = new SerialQueue();

  private constructor(options: PausesOptions) {
    this.#options = options;
  }

  /** Reads them before any destination is opened: a paused one must not send between its opening and the first look. */
  static async open(options: PausesOptions): Promise<Pauses> {
    const pauses = new Pauses(options);
    pauses.#names = await pauses.#readOrRestore();
    return pauses;
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** Looks every 2 s for what other processes have changed. */
  start(managedDestinations: () => Iterable<Pausable>): void {
    const { clock, onError } = this.#options;
    const look = (): Promise<void> =>
      this.#queue.run(async () => {
        this.#names = await this.#readOrRestore();
        for (const { name, destination } of managedDestinations()) destination.setPaused(this.has(name));
      });
    this.#stop ??= startInterval({ clock, everyMs: LOOK_MS, act: look, onError });
  }

  /** Resolves once it is written; the destination of this process is changed by then. */
  set({ name, destination }: Pausable, isPaused: boolean): Promise<void> {
    return this.#queue.run(async () => {
      await this.#options.keyValues.write([{ key: keyOf(name), value: isPaused ? '1' : undefined }]);
      if (isPaused) this.#names.add(name);
      else this.#names.delete(name);
      destination.setPaused(isPaused);
    });
  }

  stop(): void {
    this.#stop?.();
  }

  /** A store that was emptied resumes nothing: what this process knows to be paused is written again. */
  async #readOrRestore(): Promise<Set<string>> {
    const names = await this.#read();
    if (names.delete('')) return names;
    const known = new Set([...names, ...this.#names]);
    const changes = ['', ...known].map((name) => ({ key: keyOf(name), value: '1' }));
    await writeAll(this.#options.keyValues, changes);
    return known;
  }

  async #read(): Promise<Set<string>> {
    const names = new Set<string>();
    for await (const { key } of entriesOf(this.#options.keyValues, PAUSED))
      names.add(decodeURIComponent(key.slice(PAUSED.length)));
    return names;
  }
}

const keyOf = (name: string): string => PAUSED + encodeURIComponent(name);
