import { unwatchFile, watchFile } from 'node:fs';
import { SerialQueue } from '../../base/structures/turns.js';
import { type Clock, systemClock } from '../../base/time/clock.js';
import { ConfigError, ConfigFileError } from './config-errors.js';
import { parseSource } from './load-config.js';
import { type Known, type LoadOptions, type Reading, readSource } from './read-source.js';
import type { ServiceConfig } from './service-config.js';

/** A configuration that was read, or the reason why it could not be read. */
export type ConfigReading =
  | { readonly config: ServiceConfig; readonly error?: undefined }
  | { readonly config?: undefined; readonly error: ConfigError | ConfigFileError };

/** Called after each change. The files are not read again until it resolves. */
export type OnChange = (reading: ConfigReading) => void | Promise<void>;

export interface WatchOptions extends LoadOptions {
  /** The key of the configuration in use. If the files have another one, `onChange` is called at once. @default theirs */
  readonly since?: string | undefined;
  /** What an earlier reading has found. @default nothing */
  readonly known?: Known | undefined;
  /** The time between two looks at a file, in ms. @default 750 */
  readonly everyMs?: number | undefined;
  /** @default the real clock */
  readonly clock?: Pick<Clock, 'after'> | undefined;
}

/** A file may be written in parts, so it is used only when two readings that are this many ms apart are the same. */
const SETTLE_MS = 100;
/** A change is used within a second: it is noticed within this time, and the two readings take the rest. */
const EVERY_MS = 750;

/**
 * Calls back when the file, or one that it refers to, has changed: written in place, replaced by a rename, or reached through a
 * changed link. SIGHUP also triggers it. A wrong file is passed on as an error and stays watched. It does not keep the process
 * alive. The files are polled, because a mounted file, a link above a file and a network file system report no changes.
 */
export async function watchConfig(
  file: string,
  onChange: OnChange,
  options: WatchOptions = {},
): Promise<ConfigWatcher> {
  const watcher = new ConfigWatcher(file, onChange, options);
  await watcher.begin();
  return watcher;
}

type ReadConfig = Reading | ConfigFileError;

/** Watches a configuration file. */
class ConfigWatcher {
  readonly #file: string;
  readonly #onChange: OnChange;
  readonly #options: Omit<WatchOptions, 'known'>;
  #known: Known | undefined;
  /** Runs the reads one after the other. */
  readonly #queue = new SerialQueue();
  #reported: string | undefined;
  #seen: string | undefined;
  #watched: ReadonlySet<string> = new Set();
  #cancelSettle: (() => void) | undefined;
  #isClosed = false;
  readonly #onHangup = (): void => void this.reload();
  /** Schedules one reading for all changes that happen until then. */
  readonly #notice = (): void => {
    const { clock = systemClock() } = this.#options;
    if (this.#isClosed) return;
    this.#cancelSettle ??= clock.after(SETTLE_MS, () => {
      this.#cancelSettle = undefined;
      void this.#next(() => this.#settle());
    });
  };

  constructor(file: string, onChange: OnChange, { known, ...options }: WatchOptions) {
    this.#file = file;
    this.#onChange = onChange;
    this.#options = options;
    this.#known = known;
  }

  begin(): Promise<void> {
    const { since } = this.#options;
    process.on('SIGHUP', this.#onHangup);
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
    this.#watch(new Set());
  }

  #next(act: () => Promise<void>): Promise<void> {
    return this.#queue.run(async () => {
      if (!this.#isClosed) await act();
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

  async #look(): Promise<ReadConfig> {
    const files = new Set<string>();
    try {
      const reading = await readSource(this.#file, this.#options, (path) => files.add(path), this.#known);
      this.#known = reading.known;
      return reading;
    } catch (error) {
      if (error instanceof ConfigFileError) return error;
      throw error;
    } finally {
      if (!this.#isClosed) this.#watch(files);
    }
  }

  #watch(files: ReadonlySet<string>): void {
    const { everyMs = EVERY_MS } = this.#options;
    for (const file of this.#watched) if (!files.has(file)) unwatchFile(file, this.#notice);
    for (const file of files) {
      if (this.#watched.has(file)) continue;
      watchFile(file, { persistent: false, interval: everyMs }, this.#notice);
      // The file may have changed after it was read and before this watch began.
      this.#notice();
    }
    this.#watched = files;
  }

  #read(found: ReadConfig): ConfigReading {
    if (found instanceof ConfigFileError) return { error: found };
    try {
      return { config: parseSource(found, this.#file) };
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
