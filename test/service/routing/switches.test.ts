import { expect, test } from 'vitest';
import type { Outlet } from '../../../src/service/routing/outlet.js';
import { Switches } from '../../../src/service/routing/switches.js';
import { memoryStorage } from '../../../src/service/storage/memory-storage.js';
import { deferred } from '../../collector/support.js';
import { SimulatedClock, settled } from '../../destination/simulated-clock.js';

const KEY = 'switch/crm';

/** Switches of one destination, whose next look at the shelf can be held up behind what it has read. */
function setUp(enabled = true) {
  const { shelf } = memoryStorage();
  const clock = new SimulatedClock();
  // All that switches know of an outlet.
  const outlet = { name: 'crm', config: { enabled }, switched: undefined } as unknown as Outlet;
  const switches = new Switches({
    shelf,
    clock,
    outlets: () => [outlet],
    onError: (error) => expect.fail(String(error)),
  });
  const get = shelf.get.bind(shelf);
  const holdUp = () => {
    const { promise, resolve } = deferred();
    shelf.get = async (keys) => {
      shelf.get = get;
      const values = await get(keys);
      await promise;
      return values;
    };
    return resolve;
  };
  return { shelf, clock, outlet, switches, holdUp, kept: async () => (await get([KEY]))[0] };
}

test('a look that began before a destination was switched does not switch it back', async () => {
  const { clock, outlet, switches, holdUp } = setUp();
  await switches.start();
  const goOn = holdUp();
  await clock.advance(2_000);
  const switched = switches.set(outlet, false);
  await settled();
  goOn();
  await switched;
  await settled();
  expect(outlet.switched).toBe(false);
});

test('what is switched while void switches are removed stays', async () => {
  const { shelf, outlet, switches, holdUp, kept } = setUp();
  await shelf.write([{ key: KEY, value: JSON.stringify({ enabled: true, configured: false }) }]);
  const goOn = holdUp();
  const settling = switches.settle();
  const ours = JSON.stringify({ enabled: false, configured: true });
  // By another process.
  await shelf.write([{ key: KEY, value: ours }]);
  goOn();
  await settling;
  expect(await kept()).toBe(ours);
  await switches.settle();
  expect(outlet.switched).toBe(false);
});
