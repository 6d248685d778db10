import type { Clock } from '../../base/time/clock.js';
import { startInterval } from '../../base/time/interval.js';
import { entriesOf, type KeyValueStore, writeAll } from '../../store/key-value-store.js';
import { SerialQueue } from '../turns.js';

export interface SharedSwitchesOptions {
  readonly keyValues: KeyValueStore;
  readonly clock: Clock;
  onError(error: unknown): void;
}

/** A process looks this often for what other processes have set, in ms. */
const LOOK_MS = 2_000;

/**
 * Keeps what the API has set of destinations, for all processes. Each of these destinations has a key. One more key is always there, so
 * that a store without it is seen to have been emptied. Reads and writes come one at a time, because what was read before a write must
 * not take effect after it.
 */
export class SharedSwitches {
  readonly #prefix: string;
  readonly #options: SharedSwitchesOptions;
  readonly #queue = new SerialQueue();
  /** By the names of the destinations, as they were read or written last. */
  #values = new Map<string, string>();
  #stop: (() => void) | undefined;

  /** @param prefix of the keys */
  constructor(prefix: string, options: SharedSwitchesOptions) {
    this.#prefix = prefix;
    this.#options = options;
  }

  get(name: string): string | undefined {
    return this.#values.get(name);
  }

  /** Reads all, and then acts. */
  read(act: () => unknown): Promise<void> {
    return this.#queue.run(async () => {
      this.#values = await this.#readOrRestore();
      await act();
    });
  }

  /** Reads all every 2 s, and then acts. */
  start(act: () => unknown): void {
    const { clock, onError } = this.#options;
    this.#stop ??= startInterval({ clock, everyMs: LOOK_MS, act: () => this.read(act), onError });
  }

  /** Writes the value that the destination should have then, or removes it where that is undefined, and then acts. */
  set(name: string, valueNow: () => string | undefined, act: () => void): Promise<void> {
    return this.#queue.run(async () => {
      const value = valueNow();
      await this.#options.keyValues.write([{ key: this.#keyOf(name), value }]);
      if (value === undefined) this.#values.delete(name);
      else this.#values.set(name, value);
      act();
    });
  }

  /** Removes the value that was read, unless another process has changed it since. */
  async remove(name: string): Promise<void> {
    const key = this.#keyOf(name);
    await this.#options.keyValues.writeIf({ key, value: this.get(name) }, [{ key, value: undefined }]);
  }

  stop(): void {
    this.#stop?.();
  }

  /** A store that was emptied switches nothing: what this process knows is written again. */
  async #readOrRestore(): Promise<Map<string, string>> {
    const { keyValues } = this.#options;
    const values = new Map<string, string>();
    for await (const { key, value } of entriesOf(keyValues, this.#prefix))
      values.set(decodeURIComponent(key.slice(this.#prefix.length)), value);
    if (values.delete('')) return values;
    const known = new Map([...this.#values, ...values]);
    const changes = [...known, ['', '1'] as const].map(([name, value]) => ({ key: this.#keyOf(name), value }));
    await writeAll(keyValues, changes);
    return known;
  }

  #keyOf(name: string): string {
    return this.#prefix + encodeURIComponent(name);
  }
}
