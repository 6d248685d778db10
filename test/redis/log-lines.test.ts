import { expect, test } from 'vitest';
import { startEndpoint } from '../scheduler/test-endpoint.js';
import { recordingLog } from '../service/recording-log.js';
import { configOf, destinationOf, sendBatch, serving, sourceOf, track } from '../service/support.js';
import { FakeClock } from '../support/fake-clock.js';
import { openStorage, startRedis } from './storage.js';

const DESTINATIONS = 60;
const DEATHS = 3;

test('each death of the master with 60 destinations causes at most four error lines, one immediately and one later for all', async () => {
  const redis = await startRedis();
  const endpoint = await startEndpoint(200);
  const names = Array.from({ length: DESTINATIONS }, (_, number) => `customer-${number}`);
  const [log, clock] = [recordingLog(), new FakeClock(Date.now())];
  const { url } = await serving(
    configOf({
      sources: [sourceOf({ destinations: names })],
      destinations: names.map((name) => destinationOf(`${endpoint.url}/${name}`, { name })),
    }),
    { storage: openStorage(redis), log, clock },
  );
  const isTaken = async (id: string): Promise<boolean> => (await sendBatch(url, track(id))).status === 200;
  for (let death = 0; death < DEATHS; death++) {
    const before = log.lines.length;
    await redis.kill();
    const refused = sendBatch(url, track(`lost-${death}`));
    await expect.poll(() => log.lines.length).toBeGreaterThan(before);
    await redis.start();
    await refused;
    await expect.poll(() => isTaken(`again-${death}`)).toBe(true);
    // The summary of this death is written before the next one.
    await clock.pass(10_000);
  }
  const errors = log.lines.filter(({ level }) => level === 'error');
  expect(errors.length).toBeGreaterThan(DEATHS);
  expect(errors.length).toBeLessThanOrEqual(4 * DEATHS);
});
