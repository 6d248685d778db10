import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';
import { SerialQueue } from '../../base/structures/turns.js';
import { type Clock, systemClock } from '../../base/time/clock.js';
import { ConfigError, ConfigFileError } from './config-errors.js';
import { parseSource } from './load-config.js';
import type { ServiceConfig } from './service-config.js';
import { type LoadOptions, type Reading, SourceReader } from './source-reader.js';
import { symlinkChain } from './symlink-chain.js';

/** A configuration that was read, or the reason why it could not be read. */
export type ConfigReading =
  | { readonly config: ServiceConfig; readonly error?: undefined }
  | { readonly config?: undefined; readonly error: ConfigError | ConfigFileError };

/** Called after each change. The files are not read again until it resolves. */
export type OnChange = (reading: ConfigReading) => void | Promise<void>;

export interface WatchOptions extends LoadOptions {
  /** A reader that has already read the file. @default a new one */
  readonly reader?: SourceReader | undefined;
  /** The key of the configuration in use. If the files have another one, `onChange` is called at once. @default theirs */
  readonly since?: string | undefined;
  /** @default the real clock */
  readonly clock?: Pick<Clock, 'after'> | undefined;
}

/** A file may be written in parts, so it is used only when two readings that are this many ms apart are the same. */
const SETTLE_MS = 100;
/** The files are also checked at this interval in ms, because some network file systems report no changes. */
const POLL_MS = 10_000;

/**
 * Calls back when the file, or one that it refers to, has changed: written in place, replaced by a rename, or reached through a
 * changed link. SIGHUP also triggers it. A wrong file is passed on as an error and stays watched. It does not keep the process
 * alive.
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

type ReadConfig = Reading | ConfigFileError;

/** Watches a configuration file. */
class ConfigWatcher {
  readonly #file: string;
  readonly #onChange: OnChange;
  readonly #options: LoadOptions;
  readonly #reader: SourceReader;
  readonly #clock: Pick<Clock, 'after'>;
  /** Runs the reads one after the other. */
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

  /** Reads the files now and calls back even if nothing has changed, as SIGHUP does. */
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

  /** Schedules one reading for all changes that happen until then. */
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

  /** Starts the watchers before it reads, so that no change in between is missed. */
  async #look(): Promise<ReadConfig> {
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
    // A container may mount the file alone, and then its folder sees no change.
    const last = chain.at(-1);
    if (last !== undefined) this.#watch(join(last.folder, last.name));
  }

  #watch(path: string, name?: string): void {
    try {
      const watcher = watch(path, { persistent: false }, (_, changed) => {
        if (name === undefined || changed === null || changed === name) this.#notice();
      });
      // The watcher may fail when the file is removed; polling continues.
      watcher.on('error', () => {});
      this.#watchers.push(watcher);
    } catch {
      // The folder does not exist, or the system has no watcher left. Polling continues.
    }
  }

  #read(found: ReadConfig): ConfigReading {
    if (found instanceof ConfigFileError) return { error: found };
    try {
      return { config: parseSource(found, this.#file, this.#options) };
    } catch (error) {
      if (error instanceof ConfigError) return { error };
      throw error;
    }
  }

  async #tell(found: ReadConfig): Promise<void> {
    this.#reported = keyOf(found);
    const reading = this.#read(found);
    if (!this.#isClosed) await this.#onChange(reading);
  }
}

const keyOf = (found: ReadConfig): string => (found instanceof ConfigFileError ? `wrong: ${found.message}` : found.key);
