import { unwatchFile, watchFile, writeFileSync } from 'node:fs';
import { mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readSource } from '../../../src/service/config/read-source.js';
import { type ConfigReading, type WatchOptions, watchConfig } from '../../../src/service/config/watch.js';
import { newFolder } from '../../cli/files.js';
import { deferred } from '../../collector/support.js';
import { settled } from '../../support/fake-clock.js';

/** How often the files are looked at. */
const EVERY_MS = 10;
const SETTLE_MS = 100;

interface Timer {
  readonly ms: number;
  readonly act: () => void;
}

/** A clock that a test controls: the test waits until a timer is set, and lets it fire. */
class HandClock {
  readonly #timers: Timer[] = [];
  #onSet: () => void = () => {};

  after(ms: number, act: () => void): () => void {
    const timer = { ms, act };
    this.#timers.push(timer);
    this.#onSet();
    return () => void this.#take(timer);
  }

  get isEmpty(): boolean {
    return this.#timers.length === 0;
  }

  async ring(ms: number): Promise<void> {
    const timer = await this.isSet(ms);
    if (this.#take(timer)) timer.act();
  }

  /** Waits until a timer of that length is set. */
  async isSet(ms: number): Promise<Timer> {
    for (;;) {
      const timer = this.#timers.find((timer) => timer.ms === ms);
      if (timer !== undefined) return timer;
      await new Promise<void>((resolve) => {
        this.#onSet = resolve;
      });
    }
  }

  #take(timer: Timer): boolean {
    const index = this.#timers.indexOf(timer);
    if (index !== -1) this.#timers.splice(index, 1);
    return index !== -1;
  }
}

const config = (name: string): string => `sources: [{ name: ${name}, writeKeys: [k1] }]`;

const nameOf = (reading: ConfigReading | undefined): string | undefined =>
  reading?.config?.sources[0]?.name ?? reading?.error?.code;

/** Watches a file. `next` lets timers fire until a reading arrives that it has not returned yet. */
async function watching(file: string, options: WatchOptions = {}) {
  const clock = new HandClock();
  const told: ConfigReading[] = [];
  let onTold: () => void = () => {};
  const watcher = await watchConfig(
    file,
    (reading) => {
      told.push(reading);
      onTold();
    },
    { env: {}, clock, everyMs: EVERY_MS, ...options },
  );
  onTestFinished(() => watcher.close());
  let asked = 0;
  const next = async (): Promise<string | undefined> => {
    const isTold = new Promise<void>((resolve) => {
      onTold = resolve;
      if (told.length > asked) resolve();
    });
    let isDone = false;
    const turning = (async () => {
      while (!isDone) await clock.ring(SETTLE_MS);
    })();
    await isTold;
    isDone = true;
    void turning;
    return nameOf(told[asked++]);
  };
  return { clock, told, watcher, next };
}

/** Writes synchronously, because the clock needs no time and no reading may see half of the file. */
const writeInPlace = (file: string, text: string): void => writeFileSync(file, text);

async function fileWith(text: string, name = 'eventferry.yaml'): Promise<string> {
  const file = join(await newFolder(), name);
  await writeFile(file, text);
  return file;
}

describe('a watched configuration', () => {
  test('a watched configuration is read when it is written in place', async () => {
    const file = await fileWith(config('one'));
    const { next } = await watching(file);
    writeInPlace(file, config('two'));
    expect(await next()).toBe('two');
    writeInPlace(file, config('three'));
    expect(await next()).toBe('three');
  });

  test('a watched configuration is read each time it is replaced by another file', async () => {
    const file = await fileWith(config('one'));
    const { next } = await watching(file);
    for (const name of ['two', 'three']) {
      await writeFile(`${file}~`, config(name));
      await rename(`${file}~`, file);
      expect(await next()).toBe(name);
    }
  });

  test('a watched configuration is read when a link to it is swapped, as Kubernetes does', async () => {
    const folder = await newFolder();
    const put = async (version: string): Promise<void> => {
      await mkdir(join(folder, `..${version}`));
      await writeFile(join(folder, `..${version}`, 'eventferry.yaml'), config(version));
      await symlink(`..${version}`, join(folder, '..data_tmp'));
      await rename(join(folder, '..data_tmp'), join(folder, '..data'));
    };
    await put('one');
    await symlink(join('..data', 'eventferry.yaml'), join(folder, 'eventferry.yaml'));
    const { next } = await watching(join(folder, 'eventferry.yaml'));
    for (const version of ['two', 'three']) {
      await put(version);
      expect(await next()).toBe(version);
    }
  });

  test('a watched configuration is read when a file that it refers to changes', async () => {
    const file = await fileWith('sources: [{ name: "${file:name}", writeKeys: [k1] }]');
    const folder = dirname(file);
    writeInPlace(join(folder, 'name'), 'one');
    const { next } = await watching(file);
    writeInPlace(join(folder, 'name'), 'two');
    expect(await next()).toBe('two');
    await rm(join(folder, 'name'));
    expect(await next()).toBe('EVENTFERRY_SERVICE_INVALID_CONFIG');
    for (const version of ['three', 'four']) {
      await mkdir(join(folder, version));
      await writeFile(join(folder, version, 'name'), version);
      await symlink(version, join(folder, '..data_tmp'));
      await rename(join(folder, '..data_tmp'), join(folder, '..data'));
      if (version === 'three') await symlink(join('..data', 'name'), join(folder, 'name'));
      expect(await next()).toBe(version);
    }
  });

  test('a watched configuration is read when a folder above it is a link that changes', async () => {
    const folder = await newFolder();
    for (const name of ['one', 'two']) {
      await mkdir(join(folder, name));
      await writeFile(join(folder, name, 'eventferry.yaml'), config(name));
    }
    await symlink(join(folder, 'one'), join(folder, 'current'));
    const { next } = await watching(join(folder, 'current', 'eventferry.yaml'));
    await symlink('two', join(folder, 'new'));
    await rename(join(folder, 'new'), join(folder, 'current'));
    expect(await next()).toBe('two');
  });

  test('a watched configuration with a mistake is an error until it is corrected', async () => {
    const file = await fileWith(config('one'));
    const { next } = await watching(file);
    writeInPlace(file, 'sources: []');
    expect(await next()).toBe('EVENTFERRY_SERVICE_INVALID_CONFIG');
    await rm(file);
    expect(await next()).toBe('EVENTFERRY_SERVICE_CONFIG_UNREADABLE');
    writeInPlace(file, config('two'));
    expect(await next()).toBe('two');
  });

  test('a watched configuration is passed on only after two readings are the same', async () => {
    const file = await fileWith(config('one'));
    const { clock, told, next } = await watching(file);
    writeInPlace(file, 'sources: [');
    await clock.ring(SETTLE_MS);
    await clock.isSet(SETTLE_MS);
    writeInPlace(file, config('two'));
    expect(await next()).toBe('two');
    expect(told).toHaveLength(1);
  });

  test('a file that the configuration no longer names is no longer watched', async () => {
    const file = await fileWith('sources: [{ name: "${file:name}", writeKeys: [k1] }]');
    const name = join(dirname(file), 'name');
    writeInPlace(name, 'one');
    const { clock, next } = await watching(file);
    // Node looks at a file once for all who watch it, so whoever still watches it is called together with the test.
    const isChanged = new Promise<void>((resolve) => watchFile(name, { interval: EVERY_MS }, () => resolve()));
    onTestFinished(() => unwatchFile(name));
    writeInPlace(file, config('two'));
    expect(await next()).toBe('two');
    while (!clock.isEmpty) await clock.ring(SETTLE_MS);
    writeInPlace(name, 'three');
    await isChanged;
    expect(clock.isEmpty).toBe(true);
  });

  test('a watched configuration is read and passed on at SIGHUP, even if unchanged', async () => {
    const { next, told } = await watching(await fileWith(config('one')));
    const isTold = next();
    process.kill(process.pid, 'SIGHUP');
    expect(await isTold).toBe('one');
    expect(told).toHaveLength(1);
  });

  test('a watched configuration is passed on at once when it differs from the one in use', async () => {
    const file = await fileWith(config('one'));
    const { key: since } = await readSource(file, { env: {} });
    expect((await watching(file, { since })).told).toEqual([]);
    writeInPlace(file, config('two'));
    expect((await watching(file, { since })).told.map(nameOf)).toEqual(['two']);
  });

  test('a closed watcher no longer calls back', async () => {
    const file = await fileWith(config('one'));
    const { clock, told, watcher } = await watching(file);
    const listeners = process.listenerCount('SIGHUP');
    watcher.close();
    writeInPlace(file, config('two'));
    await watcher.reload();
    expect(told).toEqual([]);
    expect(clock.isEmpty).toBe(true);
    expect(process.listenerCount('SIGHUP')).toBe(listeners - 1);
  });

  test('a watched configuration is passed on only after the previous callback has ended', async () => {
    const file = await fileWith(config('one'));
    const began: (string | undefined)[] = [];
    const taking = deferred();
    const watcher = await watchConfig(
      file,
      async (reading) => {
        began.push(nameOf(reading));
        await taking.promise;
      },
      { env: {}, clock: new HandClock() },
    );
    onTestFinished(() => watcher.close());
    const first = watcher.reload();
    const second = watcher.reload();
    // Reading a file takes time, even if nobody waits for it.
    await expect.poll(() => began).toEqual(['one']);
    writeInPlace(file, 'sources: []');
    await readFile(file);
    await settled();
    expect(began).toEqual(['one']);
    taking.resolve();
    await Promise.all([first, second]);
    expect(began).toEqual(['one', 'EVENTFERRY_SERVICE_INVALID_CONFIG']);
  });

  test('a watcher continues when its callback throws', async () => {
    const file = await fileWith(config('one'));
    let isThrowing = true;
    const told: ConfigReading[] = [];
    const watcher = await watchConfig(
      file,
      (reading) => {
        if (isThrowing) throw new Error('not now');
        told.push(reading);
      },
      { env: {}, clock: new HandClock() },
    );
    onTestFinished(() => watcher.close());
    await expect(watcher.reload()).rejects.toThrow('not now');
    isThrowing = false;
    await watcher.reload();
    expect(told.map(nameOf)).toEqual(['one']);
  });
});
