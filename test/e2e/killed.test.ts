import { expect, test } from 'vitest';
import { track } from '../service/support.js';
import { sendBatch } from './api.js';
import { handOver, killOne, twoSources } from './killing.js';

/** The number of kills. `E2E_KILLS` sets a higher one for a longer run. */
const KILLS = Number(process.env['E2E_KILLS'] ?? 5);
const PATIENCE_MS = Math.max(240_000, KILLS * 20_000);

const IDS = ['m1', 'm2', 'm3', 'm4'];

test(
  'a service that is killed repeatedly loses no message that it has acknowledged',
  () => killOne(KILLS),
  PATIENCE_MS,
);

test(
  "a service that waits for another's folder takes over when that one is killed or stopped, and no acknowledged message is lost",
  () => handOver(KILLS),
  PATIENCE_MS,
);

test('an id that is accepted twice is forwarded once, even across an orderly restart', async () => {
  const { receiver, place } = await twoSources();
  const send = async (...ids: string[]): Promise<void> => {
    const batch = ids.map((id) => track(id));
    expect((await sendBatch(place.url, 'our-key', batch)).status).toBe(200);
  };
  const first = await place.start();
  await send('m1', 'm2');
  await send('m2', 'm3');
  expect(await first.stop()).toEqual({ code: 0, signal: null });
  const second = await place.start();
  await send(...IDS);
  await receiver.has(IDS);
  expect(await second.stop()).toEqual({ code: 0, signal: null });
  expect(IDS.map((id) => receiver.times(id))).toEqual([1, 1, 1, 1]);
});
