import type { Clock } from '../../destination/clock.js';
import { repeat } from '../repeat.js';
import type { Shelf } from '../storage/shelf.js';
import { Turns } from '../turns.js';
import type { Outlet } from './outlet.js';

export interface SwitchesOptions {
  readonly shelf: Shelf;
  readonly clock: Clock;
  outlets(): Iterable<Outlet>;
  onError(error: unknown): void;
}

/** What stands on the shelf for a destination that was switched by hand. */
interface Switch {
  readonly enabled: boolean;
  /** What the configuration said then: once it says something else, the switch is void. */
  readonly configured: boolean;
}

/** How often a process looks whether another has switched a destination, in ms. */
const LOOK_MS = 2_000;

/** Destinations switched on and off by hand, for all processes, until the configuration's `enabled` is changed. */
export class Switches {
  readonly #options: SwitchesOptions;
  #stop: (() => void) | undefined;
  /** One after the other: what was read before a switch must not be shown after it. */
  readonly #turns = new Turns();

  constructor(options: SwitchesOptions) {
    this.#options = options;
  }

  /** Reads the switches now, and from now on. Those that a change of the configuration has made void are removed. */
  async start(): Promise<void> {
    await this.#read('remove void');
    const { clock, onError } = this.#options;
    this.#stop ??= repeat({ clock, everyMs: LOOK_MS, act: () => this.#read('keep void'), onError });
  }

  /** After the configuration has changed. */
  async settle(): Promise<void> {
    await this.#read('remove void');
  }

  set(outlet: Outlet, enabled: boolean): Promise<void> {
    return this.#turns.take(() => this.#write(outlet, enabled));
  }

  stop(): void {
    this.#stop?.();
  }

  async #write(outlet: Outlet, enabled: boolean): Promise<void> {
    const configured = outlet.config.enabled;
    const value = enabled === configured ? undefined : JSON.stringify({ enabled, configured } satisfies Switch);
    await this.#options.shelf.write([{ key: keyOf(outlet), value }]);
    outlet.switched = value === undefined ? undefined : enabled;
  }

  #read(then: 'keep void' | 'remove void'): Promise<void> {
    return this.#turns.take(() => this.#readNow(then));
  }

  /** Another process may still have the configuration for which a switch holds that is void here. */
  async #readNow(then: 'keep void' | 'remove void'): Promise<void> {
    const { shelf } = this.#options;
    const outlets = [...this.#options.outlets()];
    const values = await shelf.get(outlets.map(keyOf));
    for (const [index, outlet] of outlets.entries()) {
      const found = read(values[index]);
      const holds = found?.configured === outlet.config.enabled;
      outlet.switched = holds ? found?.enabled : undefined;
      if (found === undefined || holds || then === 'keep void') continue;
      // Unless another process has switched it since.
      await shelf.writeIf({ key: keyOf(outlet), value: values[index] }, [{ key: keyOf(outlet), value: undefined }]);
    }
  }
}

const keyOf = ({ name }: Outlet): string => `switch/${encodeURIComponent(name)}`;

// Only `set` writes such values.
const read = (value: string | undefined): Switch | undefined => (value === undefined ? undefined : JSON.parse(value));
