import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { newEvent, type StoredEvent } from '../../../src/delivery/completion-rule.js';
import { expire, isWaiting } from '../../../src/delivery/state.js';
import { newFolder } from '../../cli/files.js';
import { bundled } from '../../support/bundled.js';
import { openLmdbStore } from './open.js';

const child = bundled(new URL('./damaged-child.ts', import.meta.url));

const PAGE = 4_096;

const URL_ = 'https://a.example/';

/** Makes a generator of numbers in [0, 1), which are the same in every run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const dead = (event: StoredEvent): StoredEvent => {
  const state = event.urls[URL_];
  return state === undefined || !isWaiting(state)
    ? event
    : { ...event, urls: { [URL_]: expire(state, 1) }, isDead: true };
};

/** A store with everything in it: small and large bodies, dead letters, pages that are free again. */
async function makeStore(): Promise<Buffer> {
  const path = await newFolder();
  const store = await openLmdbStore({ path, lock: 'alone' });
  const random = numbers(1);
  for (let round = 0; round < 10; round++) {
    const ids = Array.from({ length: 200 }, (_, index) => `${Math.floor(random() * 1e9)}-${round}-${index}`);
    const bodyOf = (): Uint8Array => new Uint8Array(random() < 0.1 ? 9_000 : 400).fill(65);
    await Promise.all(ids.map((id) => store.add(newEvent(id, 'track', [URL_], round), bodyOf())));
    await Promise.all(ids.slice(0, 40).map((id) => store.update(id, () => undefined)));
    await Promise.all(ids.slice(40, 50).map((id) => store.update(id, dead)));
  }
  await store.close();
  return readFileSync(join(path, 'data.mdb'));
}

type Damage = (file: Buffer) => Buffer;

const changed =
  (change: (file: Buffer) => void): Damage =>
  (file) => {
    change(file);
    return file;
  };

const truncated =
  (part: number): Damage =>
  (file) =>
    file.subarray(0, Math.floor(file.length * part));

const noise = (seed: number, from: (file: Buffer) => number, bytes: number): Damage =>
  changed((file) => {
    const random = numbers(seed);
    const start = from(file);
    for (let at = start; at < Math.min(start + bytes, file.length); at++) file[at] = Math.floor(random() * 256);
  });

/** What one finds in the field, and bytes and pages here and there. */
const DAMAGES: Record<string, Damage> = {
  'random bytes, of no store': noise(1, () => 0, Number.POSITIVE_INFINITY),
  'another file': () => Buffer.from('webhooks:\n  - url: https://example.com\n'),
  'zeros only': (file) => Buffer.alloc(file.length),
  'a later format': changed((file) => [0, PAGE].map((at) => file.writeUInt32LE(3, at + 28))),
  'its first page zero': changed((file) => file.fill(0, 0, PAGE)),
  'its second page zero': changed((file) => file.fill(0, PAGE, 2 * PAGE)),
  'a page size of zero': changed((file) => file.writeUInt32LE(0, 48)),
  'a last page beyond all': changed((file) =>
    [0, PAGE, PAGE / 2].map((at) => file.writeBigUInt64LE(2n ** 60n, at + 144)),
  ),
  'a root beyond the end': changed((file) =>
    [0, PAGE, PAGE / 2].map((at) => file.writeBigUInt64LE(2n ** 40n, at + 136)),
  ),
  'one byte only': (file) => file.subarray(0, 1),
  'one page only': (file) => file.subarray(0, PAGE),
  'two pages only': (file) => file.subarray(0, 2 * PAGE),
  'a byte short of a page': (file) => file.subarray(0, file.length - 1),
  'its second half zero': changed((file) => file.fill(0, file.length / 2)),
  'every tenth page zero': changed((file) => {
    for (let at = 5 * PAGE; at < file.length; at += 10 * PAGE) file.fill(0, at, at + PAGE);
  }),
  'pages in the wrong order': changed((file) => {
    for (let at = 4 * PAGE; at + 4 * PAGE < file.length; at += 8 * PAGE)
      file.copyWithin(at, at + 2 * PAGE, at + 3 * PAGE);
  }),
  ...Object.fromEntries([0.1, 0.25, 0.5, 0.75, 0.9, 0.99].map((part) => [`${part} of it`, truncated(part)])),
  ...Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [
      `a page of random bytes, ${index}`,
      noise(index + 10, (file) => Math.floor((numbers(index + 100)() * file.length) / PAGE) * PAGE, PAGE),
    ]),
  ),
  ...Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [
      `a page whose head is random, ${index}`,
      noise(index + 50, (file) => Math.floor((index / 30) * (file.length / PAGE)) * PAGE, 64),
    ]),
  ),
};

/** What became of each folder, in a process of their own. */
async function useAll(paths: readonly string[]): Promise<Map<string, string>> {
  const process = fork(child, paths, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  onTestFinished(() => void process.kill('SIGKILL'));
  const outcomes = new Map<string, string>();
  process.on('message', ({ path, outcome = 'ended the process' }: { path: string; outcome?: string }) =>
    outcomes.set(path, outcome),
  );
  await once(process, 'exit');
  return outcomes;
}

test('a damaged store never ends the process: it is refused with a clear error, or works', async () => {
  const whole = await makeStore();
  const paths = new Map<string, string>();
  for (const [name, damage] of Object.entries(DAMAGES)) {
    const path = await newFolder();
    writeFileSync(join(path, 'data.mdb'), damage(Buffer.from(whole)));
    paths.set(path, name);
  }
  const outcomes = await useAll([...paths.keys()]);
  const told = [...paths].map(([path, name]) => `${name}: ${outcomes.get(path) ?? 'not reached'}`);
  expect(told.filter((line) => !/: (works$|EVENTFERRY_STORE_DAMAGED: .* is damaged: )/.test(line))).toEqual([]);
  expect(told.filter((line) => line.includes('EVENTFERRY_STORE_DAMAGED')).length).toBeGreaterThan(40);
}, 120_000);

test('a store that is whole is not taken for damaged, and an empty file is a new store', async () => {
  const [whole, empty] = [await newFolder(), await newFolder()];
  writeFileSync(join(whole, 'data.mdb'), await makeStore());
  writeFileSync(join(empty, 'data.mdb'), '');
  expect([...(await useAll([whole, empty, whole, empty])).values()]).toEqual(['works', 'works']);
});
