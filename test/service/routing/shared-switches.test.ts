import { expect, onTestFinished, test } from 'vitest';
import { SharedSwitches } from '../../../src/service/routing/shared-switches.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { FakeClock } from '../../support/fake-clock.js';

function switchesIn({ keyValues } = memoryStorage(), clock = new FakeClock()) {
  const errors: unknown[] = [];
  const switches = new SharedSwitches('paused/', { keyValues, clock, onError: (error) => errors.push(error) });
  onTestFinished(() => switches.stop());
  return { switches, keyValues, clock, errors };
}

test('a switch takes effect when it is written, and a process that reads later has it', async () => {
  const storage = memoryStorage();
  const { switches } = switchesIn(storage);
  const seen: unknown[] = [];
  await switches.set(
    'a/b %2F',
    () => 'on',
    () => seen.push(switches.get('a/b %2F')),
  );
  const later = switchesIn(storage).switches;
  await later.read(() => seen.push(later.get('a/b %2F'), later.get('a')));
  expect(seen).toEqual(['on', 'on', undefined]);
});

test('a switch that cannot be written does not take effect, and stays as it was', async () => {
  const { switches, keyValues } = switchesIn();
  keyValues.write = async () => Promise.reject(new Error('no space'));
  let acts = 0;
  await expect(
    switches.set(
      'crm',
      () => 'on',
      () => acts++,
    ),
  ).rejects.toThrow('no space');
  expect([acts, switches.get('crm')]).toEqual([0, undefined]);
});

test('a read that began before a write does not take effect after it', async () => {
  const { switches } = switchesIn();
  const seen: unknown[] = [];
  const reading = switches.read(() => seen.push(switches.get('crm')));
  await Promise.all([
    reading,
    switches.set(
      'crm',
      () => 'on',
      () => seen.push(switches.get('crm')),
    ),
  ]);
  expect(seen).toEqual([undefined, 'on']);
});

test('a value that another process has changed since it was read is not removed', async () => {
  const storage = memoryStorage();
  const [here, there] = [switchesIn(storage).switches, switchesIn(storage).switches];
  await here.set(
    'crm',
    () => 'old',
    () => {},
  );
  await there.set(
    'crm',
    () => 'new',
    () => {},
  );
  await here.remove('crm');
  await here.read(() => {});
  expect(here.get('crm')).toBe('new');
  await here.remove('crm');
  await there.read(() => {});
  expect(there.get('crm')).toBeUndefined();
});

test('a read that fails is reported, and the next one takes effect', async () => {
  const { switches, keyValues, clock, errors } = switchesIn();
  let acts = 0;
  switches.start(() => acts++);
  const list = keyValues.list.bind(keyValues);
  keyValues.list = async () => Promise.reject(new Error('connection lost'));
  await clock.pass(2_000);
  expect([errors, acts]).toEqual([[new Error('connection lost')], 0]);
  keyValues.list = list;
  await clock.pass(2_000);
  expect(acts).toBe(1);
});

test('a store that was emptied gets the values that this process knows', async () => {
  const storage = memoryStorage();
  const { switches } = switchesIn(storage);
  await switches.read(() => {});
  await switches.set(
    'crm',
    () => 'on',
    () => {},
  );
  await storage.keyValues.removeAll('');
  await switches.read(() => {});
  const later = switchesIn(storage).switches;
  await later.read(() => {});
  expect([switches.get('crm'), later.get('crm')]).toEqual(['on', 'on']);
});
