import { expect, test } from 'vitest';
import { EnabledOverrides } from '../../../src/service/routing/enabled-overrides.js';
import type { ManagedDestination } from '../../../src/service/routing/managed-destination.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { deferred } from '../../collector/support.js';
import { FakeClock, settled } from '../../support/fake-clock.js';

const KEY = 'switch/crm';

/** The overrides of one destination. The next read of the store can be delayed after it has read the values. */
function setUp(enabled = true) {
  const { keyValues } = memoryStorage();
  const clock = new FakeClock();
  // These are all the parts of a destination that the overrides use.
  const managed = { name: 'crm', config: { enabled }, switched: undefined } as unknown as ManagedDestination;
  const overrides = new EnabledOverrides({
    keyValues,
    clock,
    managedDestinations: () => [managed],
    onError: (error) => expect.fail(String(error)),
  });
  const list = keyValues.list.bind(keyValues);
  const holdUp = () => {
    const { promise, resolve } = deferred();
    keyValues.list = async (...given) => {
      keyValues.list = list;
      const entries = await list(...given);
      await promise;
      return entries;
    };
    return resolve;
  };
  return { keyValues, clock, managed, overrides, holdUp, kept: async () => (await keyValues.get([KEY]))[0] };
}

test('a read that began before an override was set does not undo it', async () => {
  const { clock, managed, overrides, holdUp } = setUp();
  await overrides.start();
  const goOn = holdUp();
  await clock.pass(2_000);
  const switched = overrides.set(managed, false, 'ana');
  await settled();
  goOn();
  await switched;
  await settled();
  expect(managed.switched).toBe(false);
});

test('an override that is set while ended ones are removed stays', async () => {
  const { keyValues, managed, overrides, holdUp, kept } = setUp();
  await keyValues.write([{ key: KEY, value: JSON.stringify({ enabled: true, configured: false }) }]);
  const goOn = holdUp();
  const settling = overrides.settle();
  const ours = JSON.stringify({ enabled: false, configured: true });
  // Another process writes this.
  await keyValues.write([{ key: KEY, value: ours }]);
  goOn();
  await settling;
  expect(await kept()).toBe(ours);
  await overrides.settle();
  expect(managed.switched).toBe(false);
});

test('overrides stay in effect when the store was emptied, and are written again', async () => {
  const { keyValues, clock, managed, overrides, kept } = setUp();
  await overrides.start();
  await overrides.set(managed, false, 'ana');
  const value = await kept();
  await keyValues.removeAll('');
  await clock.pass(2_000);
  await settled();
  expect([managed.switched, await kept()]).toEqual([false, value]);
  await overrides.set(managed, true, 'ana');
  await clock.pass(2_000);
  await settled();
  expect([managed.switched, await kept()]).toEqual([undefined, undefined]);
});
