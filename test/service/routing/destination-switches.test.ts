import { expect, onTestFinished, test } from 'vitest';
import { DestinationSwitches } from '../../../src/service/routing/destination-switches.js';
import type { ManagedDestination } from '../../../src/service/routing/managed-destination.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { deferred } from '../../collector/support.js';
import { FakeClock, settled } from '../../support/fake-clock.js';

const KEY = 'switch/enabled/crm';

/** A destination with all the parts that switches use. `seen` records each time it was paused or resumed. */
function destinationCalled(name: string) {
  const seen: boolean[] = [];
  const managed = {
    ...{ name, config: { enabled: true }, switched: undefined as boolean | undefined },
    destination: { setPaused: (isPaused: boolean) => void seen.push(isPaused) },
  };
  return { managed: managed as unknown as ManagedDestination, seen };
}

interface OpenOptions {
  readonly areAllHeld?: boolean;
  /** The other destinations of the process. */
  readonly others?: readonly ManagedDestination[];
}

/** Opens the switches of a process that has the destination crm. */
async function open(
  { keyValues } = memoryStorage(),
  clock = new FakeClock(),
  { others = [], ...options }: OpenOptions = {},
) {
  const errors: unknown[] = [];
  const { managed: crm, seen } = destinationCalled('crm');
  const managedDestinations = () => [crm, ...others];
  const switches = await DestinationSwitches.open(
    { keyValues, clock, managedDestinations, onError: (error) => errors.push(error) },
    options,
  );
  onTestFinished(() => switches.stop());
  /** Lets the next read of the store wait after it has read the values, until the returned function is called. */
  const holdUp = () => {
    const list = keyValues.list.bind(keyValues);
    const { promise, resolve } = deferred();
    keyValues.list = async (...given) => {
      keyValues.list = list;
      const entries = await list(...given);
      await promise;
      return entries;
    };
    return resolve;
  };
  const kept = async () => (await keyValues.get([KEY]))[0];
  return { switches, keyValues, clock, errors, crm, seen, holdUp, kept };
}

test('a pause and a resumption take effect at once', async () => {
  const { switches, crm, seen } = await open();
  await switches.set(crm, 'paused', true, 'ana');
  expect([switches.isPaused('crm'), seen.at(-1)]).toEqual([true, true]);
  await switches.set(crm, 'paused', false, 'ana');
  expect([switches.isPaused('crm'), seen.at(-1)]).toEqual([false, false]);
});

test('a process that opens later knows of a pause before it opens a destination', async () => {
  const storage = memoryStorage();
  const { switches, crm } = await open(storage);
  await switches.set(crm, 'paused', true, 'ana');
  expect((await open(storage)).switches.isPaused('crm')).toBe(true);
});

test('a pause shows who paused first and when, in every process', async () => {
  const [storage, clock] = [memoryStorage(), new FakeClock()];
  const { switches, crm } = await open(storage, clock);
  expect(switches.pausedBy('crm')).toBeUndefined();
  const paused = { by: 'ana', at: new Date(clock.wall()).toISOString() };
  await switches.set(crm, 'paused', true, 'ana');
  await clock.pass(1_000);
  await switches.set(crm, 'paused', true, 'ben');
  expect([switches.pausedBy('crm'), (await open(storage)).switches.pausedBy('crm')]).toEqual([paused, paused]);
  await switches.set(crm, 'paused', false, 'ben');
  expect(switches.pausedBy('crm')).toBeUndefined();
});

test('a process that is held back delivers nothing until it is released, and then everything that is not paused', async () => {
  const [storage, clock] = [memoryStorage(), new FakeClock()];
  const ads = destinationCalled('ads');
  const { switches, crm, seen } = await open(storage, clock, { areAllHeld: true, others: [ads.managed] });
  await switches.start();
  await switches.set(crm, 'paused', true, 'ana');
  await clock.pass(2_000);
  expect([seen.includes(false), ads.seen.includes(false)]).toEqual([false, false]);
  switches.release();
  await clock.pass(2_000);
  expect([seen.includes(false), ads.seen.at(-1)]).toEqual([false, false]);
});

test('a pause by another process takes effect within two seconds', async () => {
  const [storage, clock] = [memoryStorage(), new FakeClock()];
  const [here, there] = [await open(storage, clock), await open(storage, clock)];
  await there.switches.start();
  there.seen.length = 0;
  await here.switches.set(here.crm, 'paused', true, 'ana');
  expect(there.seen).toEqual([]);
  await clock.pass(2_000);
  expect(there.seen.at(-1)).toBe(true);
  await here.switches.set(here.crm, 'paused', false, 'ana');
  await clock.pass(2_000);
  expect([there.switches.isPaused('crm'), there.seen.at(-1)]).toEqual([false, false]);
});

test('a pause that cannot be written changes nothing, and a later pause can be written', async () => {
  const storage = memoryStorage();
  const { switches, crm, seen } = await open(storage);
  const write = storage.keyValues.write.bind(storage.keyValues);
  storage.keyValues.write = async () => Promise.reject(new Error('no space'));
  await expect(switches.set(crm, 'paused', true, 'ana')).rejects.toThrow('no space');
  expect([switches.isPaused('crm'), seen]).toEqual([false, []]);
  storage.keyValues.write = write;
  await switches.set(crm, 'paused', true, 'ana');
  expect(switches.isPaused('crm')).toBe(true);
});

test('a read that fails is reported, and the pauses stay as they were', async () => {
  const storage = memoryStorage();
  const { switches, crm, seen, clock, errors } = await open(storage);
  await switches.set(crm, 'paused', true, 'ana');
  await switches.start();
  seen.length = 0;
  const list = storage.keyValues.list.bind(storage.keyValues);
  storage.keyValues.list = async () => Promise.reject(new Error('connection lost'));
  await clock.pass(2_000);
  expect(errors).toEqual([new Error('connection lost')]);
  storage.keyValues.list = list;
  await clock.pass(2_000);
  expect([switches.isPaused('crm'), seen.at(-1)]).toEqual([true, true]);
});

test('names that contain separators of keys and paths are kept apart', async () => {
  const storage = memoryStorage();
  const { switches } = await open(storage);
  await switches.set(destinationCalled('a/b %2F').managed, 'paused', true, 'ana');
  const other = (await open(storage)).switches;
  expect([other.isPaused('a/b %2F'), other.isPaused('a')]).toEqual([true, false]);
});

test('pauses stay in effect when the store was emptied, even for a process that opens later', async () => {
  const storage = memoryStorage();
  const { switches, crm, seen, clock } = await open(storage);
  await switches.start();
  seen.length = 0;
  await switches.set(crm, 'paused', true, 'ana');
  await storage.keyValues.removeAll('');
  await clock.pass(2_000);
  expect([switches.isPaused('crm'), seen.includes(false)]).toEqual([true, false]);
  expect((await open(storage)).switches.isPaused('crm')).toBe(true);
  await switches.set(crm, 'paused', false, 'ana');
  await clock.pass(2_000);
  expect([switches.isPaused('crm'), seen.at(-1)]).toEqual([false, false]);
});

test('a read that began before a destination was switched does not undo it', async () => {
  const { clock, crm, switches, holdUp } = await open();
  await switches.start();
  const goOn = holdUp();
  await clock.pass(2_000);
  const switched = switches.set(crm, 'enabled', false, 'ana');
  await settled();
  goOn();
  await switched;
  await settled();
  expect(crm.switched).toBe(false);
});

test('an override that is set while ended ones are removed stays', async () => {
  const { keyValues, crm, switches, holdUp, kept } = await open();
  await keyValues.write([{ key: KEY, value: JSON.stringify({ isOn: true, configured: false }) }]);
  const goOn = holdUp();
  const settling = switches.settle();
  const ours = JSON.stringify({ isOn: false, configured: true });
  // Another process writes this.
  await keyValues.write([{ key: KEY, value: ours }]);
  goOn();
  await settling;
  expect(await kept()).toBe(ours);
  await switches.settle();
  expect(crm.switched).toBe(false);
});

test('settling the switches removes an override that a change of the configuration has ended, and nothing removes it earlier', async () => {
  const { clock, keyValues, crm, switches, kept } = await open();
  await switches.start();
  await keyValues.write([{ key: KEY, value: JSON.stringify({ isOn: true, configured: false }) }]);
  await clock.pass(2_000);
  expect([crm.switched, await kept()]).toEqual([undefined, expect.any(String)]);
  await switches.settle();
  expect(await kept()).toBeUndefined();
});

test('overrides stay in effect when the store was emptied, and are written again', async () => {
  const { keyValues, clock, crm, switches, kept } = await open();
  await switches.start();
  await switches.set(crm, 'enabled', false, 'ana');
  const value = await kept();
  await keyValues.removeAll('');
  await clock.pass(2_000);
  await settled();
  expect([crm.switched, await kept()]).toEqual([false, value]);
  await switches.set(crm, 'enabled', true, 'ana');
  await clock.pass(2_000);
  await settled();
  expect([crm.switched, await kept()]).toEqual([undefined, undefined]);
});
