import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../base/time/clock.js';
import { SerialQueue } from '../turns.js';
import { ConfigError, ConfigFileError } from './config-errors.js';
import { parseSource } from './load-config.js';
import type { ServiceConfig } from './service-config.js';
import { type LoadOptions, type Reading, SourceReader } from './source-reader.js';
import { symlinkChain } from './symlink-chain.js';

/** A configuration that was read, or why it could not be. */
export type ConfigReading =
  | { readonly config: ServiceConfig; readonly error?: undefined }
  | { readonly config?: undefined; readonly error: ConfigError | ConfigFileError };

/** Called with each reading. The files are not read again until it resolves. */
export type OnChange = (reading: ConfigReading) => void | Promise<void>;

export interface WatchOptions extends LoadOptions {
  /** The reader that has read the file before. @default a new one */
  readonly reader?: SourceReader | undefined;
  /** The key of the reading in use: `onChange` is called at once when the file has another. @default the one in the file */
  readonly since?: string | undefined;
  /** @default the machine's */
  readonly clock?: Pick<Clock, 'after'> | undefined;
}

/** A file may be written in parts: it counts once two readings, this far apart, are the same. */
const SETTLE_MS = 100;
/** It also looks this often, in ms, because some network file systems report no changes. */
const POLL_MS = 10_000;

/**
 * Calls back when the file, or one that it refers to, has changed, however that was done: written in place, replaced by a rename, or by the swap of a
 * link on the way to it; and on SIGHUP. A wrong file is passed on as an error, and watched as before. Does not keep the
 * process alive.
 */
export async function watchConfig(
  file: string,
  onChange: OnChange,
  { since, ...options }: WatchOptions = {},
): Promise<ConfigWatcher> {
  const watcher = new ConfigWatcher(file, onChange, options);
  await watcher.begin(since);
  return watcher;
}

type Found = Reading | ConfigFileError;

/** A watch of a configuration file. */
class ConfigWatcher {
  readonly #file: string;
  readonly #onChange: OnChange;
  readonly #options: LoadOptions;
  readonly #reader: SourceReader;
  readonly #clock: Pick<Clock, 'after'>;
  /** One reading after the other. */
  readonly #queue = new SerialQueue();
  #reported: string | undefined;
  #seen: string | undefined;
  readonly #watchers: FSWatcher[] = [];
  #cancelSettle: (() => void) | undefined;
  #cancelPoll: (() => void) | undefined;
  #isClosed = false;
  readonly #onHangup = (): void => void this.reload();

  constructor(file: string, onChange: OnChange, { clock = systemClock(), reader, ...options }: WatchOptions) {
    this.#file = file;
    this.#onChange = onChange;
    this.#options = options;
    this.#reader = reader ?? new SourceReader(file, options);
    this.#clock = clock;
  }

  begin(since: string | undefined): Promise<void> {
    process.on('SIGHUP', this.#onHangup);
    this.#poll();
    return this.#next(async () => {
      const found = await this.#look();
      this.#reported = keyOf(found);
      if (since !== undefined && since !== this.#reported) await this.#tell(found);
    });
  }

  /** Reads the files now, and calls back whether they changed or not. SIGHUP does the same. */
  reload(): Promise<void> {
    return this.#next(async () => this.#tell(await this.#look()));
  }

  /** Stops watching. */
  close(): void {
    this.#isClosed = true;
    process.off('SIGHUP', this.#onHangup);
    this.#cancelSettle?.();
    this.#cancelPoll?.();
    for (const watcher of this.#watchers.splice(0)) watcher.close();
  }

  #next(act: () => Promise<void>): Promise<void> {
    return this.#queue.run(async () => {
      if (!this.#isClosed) await act();
    });
  }

  #poll(): void {
    this.#cancelPoll = this.#clock.after(POLL_MS, () => {
      this.#notice();
      this.#poll();
    });
  }

  /** Reads the files soon, once for all changes until then. */
  #notice(): void {
    if (this.#isClosed) return;
    this.#cancelSettle ??= this.#clock.after(SETTLE_MS, () => {
      this.#cancelSettle = undefined;
      void this.#next(() => this.#settle());
    });
  }

  async #settle(): Promise<void> {
    const found = await this.#look();
    const key = keyOf(found);
    const isSettled = key === this.#seen;
    this.#seen = key;
    if (key === this.#reported) return;
    if (!isSettled) return this.#notice();
    await this.#tell(found);
  }

  /** Watches before it reads, so that no change in between is missed. */
  async #look(): Promise<Found> {
    const old = this.#watchers.splice(0);
    try {
      return await this.#reader.read((path) => this.#watchChain(path));
    } catch (error) {
      if (error instanceof ConfigFileError) return error;
      throw error;
    } finally {
      for (const watcher of old) watcher.close();
    }
  }

  async #watchChain(file: string): Promise<void> {
    const chain = await symlinkChain(file);
    if (this.#isClosed) return;
    for (const { folder, name } of chain) this.#watch(folder, name);
    // In a container the file may be mounted alone, and then its folder sees no change.
    const last = chain.at(-1);
    if (last !== undefined) this.#watch(join(last.folder, last.name));
  }

  #watch(path: string, name?: string): void {
    try {
      const watcher = watch(path, { persistent: false }, (_, changed) => {
        if (name === undefined || changed === null || changed === name) this.#notice();
      });
      // It may end when the watched file is gone; the poll goes on.
      watcher.on('error', () => {});
      this.#watchers.push(watcher);
    } catch {
      // There is no such folder, or no watcher left: the poll goes on.
    }
  }

  #read(found: Found): ConfigReading {
    if (found instanceof ConfigFileError) return { error: found };
    try {
      return { config: parseSource(found, this.#file, this.#options) };
    } catch (error) {
      if (error instanceof ConfigError) return { error };
      throw error;
    }
  }

  async #tell(found: Found): Promise<void> {
    this.#reported = keyOf(found);
    const reading = this.#read(found);
    if (!this.#isClosed) await this.#onChange(reading);
  }
}

const keyOf = (found: Found): string => (found instanceof ConfigFileError ? `wrong: ${found.message}` : found.key);
