import { expect, onTestFinished, test } from 'vitest';
import { Pauses } from '../../../src/service/routing/pauses.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { FakeClock } from '../../support/fake-clock.js';

/** Opens the pauses of a process, with a destination that records what is done to it. */
async function open({ keyValues } = memoryStorage(), clock = new FakeClock()) {
  const errors: unknown[] = [];
  const pauses = await Pauses.open({ keyValues, clock, onError: (error) => errors.push(error) });
  onTestFinished(() => pauses.stop());
  const seen: boolean[] = [];
  const crm = { name: 'crm', destination: { setPaused: (isPaused: boolean) => void seen.push(isPaused) } };
  return { pauses, clock, errors, crm, seen };
}

test('a pause takes effect at once, and so does resuming', async () => {
  const { pauses, crm, seen } = await open();
  await pauses.set(crm, true, 'ana');
  expect([pauses.has('crm'), seen.at(-1)]).toEqual([true, true]);
  await pauses.set(crm, false, 'ana');
  expect([pauses.has('crm'), seen.at(-1)]).toEqual([false, false]);
});

test('a process that opens later knows a pause before it has a destination', async () => {
  const storage = memoryStorage();
  const { pauses, crm } = await open(storage);
  await pauses.set(crm, true, 'ana');
  expect((await open(storage)).pauses.has('crm')).toBe(true);
});

test('a pause shows who paused first and when, in every process', async () => {
  const [storage, clock] = [memoryStorage(), new FakeClock()];
  const { pauses, crm } = await open(storage, clock);
  expect(pauses.of('crm')).toBeUndefined();
  const paused = { by: 'ana', at: new Date(clock.wall()).toISOString() };
  await pauses.set(crm, true, 'ana');
  await clock.pass(1_000);
  await pauses.set(crm, true, 'ben');
  expect([pauses.of('crm'), (await open(storage)).pauses.of('crm')]).toEqual([paused, paused]);
  await pauses.set(crm, false, 'ben');
  expect(pauses.of('crm')).toBeUndefined();
});

test('a process that is held back delivers nothing until it is released, and then everything that is not paused', async () => {
  const [storage, clock] = [memoryStorage(), new FakeClock()];
  const { crm } = await open(storage, clock);
  const held = await Pauses.open({ ...storage, clock, onError: () => {} }, { areAllHeld: true });
  onTestFinished(() => held.stop());
  const seen: string[] = [];
  const all = ['crm', 'ads'].map((name) => ({
    name,
    destination: { setPaused: (isPaused: boolean) => void seen.push(`${name} ${isPaused}`) },
  }));
  await held.set(crm, true, 'ana');
  held.start(() => all);
  await clock.pass(2_000);
  expect(seen.splice(0)).toEqual(['crm true', 'ads true']);
  held.release(all);
  await clock.pass(2_000);
  expect(seen).toEqual(['crm true', 'ads false', 'crm true', 'ads false']);
});

test('a pause by another process takes effect within two seconds', async () => {
  const [storage, clock] = [memoryStorage(), new FakeClock()];
  const [here, there] = [await open(storage, clock), await open(storage, clock)];
  there.pauses.start(() => [there.crm]);
  await here.pauses.set(here.crm, true, 'ana');
  expect(there.seen).toEqual([]);
  await clock.pass(2_000);
  expect(there.seen.at(-1)).toBe(true);
  await here.pauses.set(here.crm, false, 'ana');
  await clock.pass(2_000);
  expect([there.pauses.has('crm'), there.seen.at(-1)]).toEqual([false, false]);
});

test('a pause that cannot be written changes nothing, and the next one is written', async () => {
  const storage = memoryStorage();
  const { pauses, crm, seen } = await open(storage);
  const write = storage.keyValues.write.bind(storage.keyValues);
  storage.keyValues.write = async () => Promise.reject(new Error('no space'));
  await expect(pauses.set(crm, true, 'ana')).rejects.toThrow('no space');
  expect([pauses.has('crm'), seen]).toEqual([false, []]);
  storage.keyValues.write = write;
  await pauses.set(crm, true, 'ana');
  expect(pauses.has('crm')).toBe(true);
});

test('a read that fails is reported, and the pauses stay as they were', async () => {
  const storage = memoryStorage();
  const { pauses, crm, seen, clock, errors } = await open(storage);
  await pauses.set(crm, true, 'ana');
  pauses.start(() => [crm]);
  const list = storage.keyValues.list.bind(storage.keyValues);
  storage.keyValues.list = async () => Promise.reject(new Error('connection lost'));
  await clock.pass(2_000);
  expect(errors).toEqual([new Error('connection lost')]);
  storage.keyValues.list = list;
  await clock.pass(2_000);
  expect([pauses.has('crm'), seen.at(-1)]).toEqual([true, true]);
});

test('names that contain separators of keys and paths are kept apart', async () => {
  const storage = memoryStorage();
  const { pauses, crm } = await open(storage);
  await pauses.set({ ...crm, name: 'a/b %2F' }, true, 'ana');
  const other = await Pauses.open({ keyValues: storage.keyValues, clock: new FakeClock(), onError: () => {} });
  expect([other.has('a/b %2F'), other.has('a')]).toEqual([true, false]);
});

test('pauses stay in effect when the store was emptied, even for a process that opens later', async () => {
  const storage = memoryStorage();
  const { pauses, crm, seen, clock } = await open(storage);
  pauses.start(() => [crm]);
  await pauses.set(crm, true, 'ana');
  await storage.keyValues.removeAll('');
  await clock.pass(2_000);
  expect([pauses.has('crm'), seen.includes(false)]).toEqual([true, false]);
  expect((await open(storage)).pauses.has('crm')).toBe(true);
  await pauses.set(crm, false, 'ana');
  await clock.pass(2_000);
  expect([pauses.has('crm'), seen.at(-1)]).toEqual([false, false]);
});
