import { SerialQueue } from '../../base/structures/turns.js';
import type { Clock } from '../../base/time/clock.js';
import { startInterval } from '../../base/time/interval.js';
import { entriesOf, type KeyValueStore, writeAll } from '../../store/key-value-store.js';

export interface SharedSwitchesOptions {
  readonly keyValues: KeyValueStore;
  readonly clock: Clock;
  onError(error: unknown): void;
}

/** The interval in ms at which a process checks what other processes have set. */
const LOOK_MS = 2_000;

/**
 * Keeps what the API has set for destinations, for all processes. Each such destination has a key, and one more key always
 * exists, so that a store that was emptied can be detected. Reads and writes run one at a time, because values that were read
 * before a write must not be applied after it.
 */
export class SharedSwitches {
  readonly #prefix: string;
  readonly #options: SharedSwitchesOptions;
  readonly #queue = new SerialQueue();
  /** The values by destination, as they were last read or written. */
  #values = new Map<string, string>();
  #stop: (() => void) | undefined;

  /** @param prefix the beginning of all keys */
  constructor(prefix: string, options: SharedSwitchesOptions) {
    this.#prefix = prefix;
    this.#options = options;
  }

  get(name: string): string | undefined {
    return this.#values.get(name);
  }

  /** Reads all values, and then calls `act`. */
  read(act: () => unknown): Promise<void> {
    return this.#queue.run(async () => {
      this.#values = await this.#readOrRestore();
      await act();
    });
  }

  /** Reads all values every 2 s, and then calls `act`. */
  start(act: () => unknown): void {
    const { clock, onError } = this.#options;
    this.#stop ??= startInterval({ clock, everyMs: LOOK_MS, act: () => this.read(act), onError });
  }

  /** Writes the value that `valueNow` returns when its turn comes, or removes the value if undefined, and then calls `act`. */
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

  /** Reads all values. If the store was emptied, it first writes the known values again, so that nothing is switched. */
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
