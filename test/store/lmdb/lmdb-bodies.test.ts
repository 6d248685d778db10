import {
  type Arbitrary,
  array,
  asyncProperty,
  assert as check,
  constant,
  constantFrom,
  nat,
  oneof,
  record,
} from 'fast-check';
import { expect, test } from 'vitest';
import { newEvent } from '../../../src/delivery/completion-rule.js';
import { LmdbEnvironment } from '../../../src/store/lmdb/lmdb-environment.js';
import { lmdbStorage } from '../../../src/store/lmdb/lmdb-storage.js';
import { MemoryStore } from '../../../src/store/memory/memory-store.js';
import type { Storage } from '../../../src/store/storage.js';
import { newFolder } from '../../cli/files.js';

const DESTINATIONS = ['crm', 'ads', 'mail'];

/** Reads the tables of bodies. The folder must not be open. */
async function tablesIn(path: string) {
  const environment = await LmdbEnvironment.open({ path, lock: 'alone' });
  const { db } = environment;
  const bodies = db.openDB<Uint8Array, number>({ name: 'service/shared', encoding: 'binary' });
  const holders = db.openDB<number, number>({ name: 'service/holders', encoding: 'json' });
  const found = {
    bodies: [...bodies.getRange().map(({ value }) => String(value))].toSorted(),
    holders: [...holders.getRange().map(({ value }) => value)].toSorted(),
  };
  await environment.close();
  return found;
}

async function intakeOf(storage: Storage, id: string, destinations: readonly string[]) {
  const stores = await Promise.all(destinations.map((destination) => storage.deliveries(destination)));
  const event = newEvent(id, 'track', ['a'], 1, { source: 'web' });
  return { id, body: Buffer.from(`body of ${id}`), deliveries: stores.map((store) => ({ store, event })) };
}

const strangeTo = (id: string) => ({ store: new MemoryStore(), event: newEvent(id, 'track', ['a'], 1) });

/** A storage with the contents it should have. Calls between two openings run concurrently. */
class Model {
  readonly path: string;
  #storage: Storage;
  #works: Promise<unknown>[] = [];
  readonly #holders = new Map<string, Set<string>>();

  constructor(path: string, storage: Storage) {
    this.path = path;
    this.#storage = storage;
  }

  /** Takes in a message for the first `count` destinations. */
  async add(id: string, count: number): Promise<void> {
    const destinations = DESTINATIONS.slice(0, count);
    this.#works.push(this.#storage.takeIn('web', [await intakeOf(this.#storage, id, destinations)], 1));
    if (!this.#holders.has(id)) this.#holders.set(id, new Set(destinations));
  }

  /** Takes in a message that cannot be stored, because one of its deliveries is invalid. */
  async fail(id: string, count: number): Promise<void> {
    const intake = await intakeOf(this.#storage, `never ${id}`, DESTINATIONS.slice(0, count));
    const failing = { ...intake, deliveries: [...intake.deliveries, strangeTo(id)] };
    this.#works.push(this.#storage.takeIn('web', [failing], 1).catch(() => undefined));
  }

  /** Lets the message fail at a destination. */
  async bury(id: string, destination: string): Promise<void> {
    const store = await this.#storage.deliveries(destination);
    this.#works.push(store.update(id, (event) => ({ ...event, isDead: true })));
  }

  /** Ends the delivery of the message at a destination. */
  async end(id: string, destination: string): Promise<void> {
    const store = await this.#storage.deliveries(destination);
    this.#works.push(store.update(id, () => undefined));
    this.#holders.get(id)?.delete(destination);
  }

  async reopen(): Promise<void> {
    await this.close();
    this.#storage = await lmdbStorage({ path: this.path });
  }

  async close(): Promise<void> {
    await Promise.all(this.#works.splice(0));
    await this.#storage.close();
  }

  get held(): [id: string, holders: Set<string>][] {
    return [...this.#holders].filter(([, holders]) => holders.size > 0);
  }

  async expectBodies(): Promise<void> {
    this.#storage = await lmdbStorage({ path: this.path });
    for (const [id, holders] of this.held)
      for (const destination of holders)
        expect(String(await (await this.#storage.deliveries(destination)).body(id))).toBe(`body of ${id}`);
    await this.close();
    const sizes = this.held.map(([, { size }]) => size);
    expect(await tablesIn(this.path)).toEqual({
      bodies: this.held.map(([id]) => `body of ${id}`).toSorted(),
      holders: sizes.filter((size) => size > 1).toSorted(),
    });
  }
}

const id = nat(3).map((number) => `m${number}`);
const [count, destination] = [nat(DESTINATIONS.length), constantFrom(...DESTINATIONS)];

const step = oneof<Arbitrary<(model: Model) => Promise<void>>[]>(
  record({ id, count }).map(
    ({ id, count }) =>
      (model) =>
        model.add(id, count),
  ),
  record({ id, count }).map(
    ({ id, count }) =>
      (model) =>
        model.fail(id, count),
  ),
  record({ id, destination }).map(
    ({ id, destination }) =>
      (model) =>
        model.bury(id, destination),
  ),
  record({ id, destination }).map(
    ({ id, destination }) =>
      (model) =>
        model.end(id, destination),
  ),
  constant((model: Model) => model.reopen()),
);

test('a body exists exactly while a destination holds it, whatever is added, ended, failed or reopened', async () => {
  await check(
    asyncProperty(array(step, { minLength: 20, maxLength: 40 }), async (steps) => {
      const path = await newFolder();
      const model = new Model(path, await lmdbStorage({ path }));
      for (const act of steps) await act(model);
      await model.close();
      await model.expectBodies();
    }),
    { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 6) },
  );
});

test('if one of several messages cannot be stored, none is, and all are new the next time', async () => {
  const path = await newFolder();
  const storage = await lmdbStorage({ path });
  const [first, second] = await Promise.all(['m1', 'm2'].map((id) => intakeOf(storage, id, DESTINATIONS)));
  if (first === undefined || second === undefined) throw new Error('There are two');
  const failing = { ...second, deliveries: [...second.deliveries, strangeTo('m2')] };
  await expect(storage.takeIn('web', [first, failing], 1)).rejects.toThrow('Expected a store of this storage');
  expect(await (await storage.deliveries('crm')).event('m1')).toBeUndefined();
  expect(await storage.takeIn('web', [first, second], 1)).toEqual([
    ['m1', 'm1', 'm1'],
    ['m2', 'm2', 'm2'],
  ]);
  await storage.close();
  expect(await tablesIn(path)).toEqual({ bodies: ['body of m1', 'body of m2'], holders: [3, 3] });
});
