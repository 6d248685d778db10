import { expect, test } from 'vitest';
import { expectUnchanged, sixCalls } from './calls.js';
import { clients } from './clients.js';
import { killOne, twoSources } from './killing.js';
import { redis } from './redis.js';

test('with Redis all six types arrive unchanged and signed from each client', async () => {
  const { receiver, place } = await twoSources(await redis());
  const service = await place.start();
  for (const [user, client] of Object.entries(clients)) await client.send(place.url, 'our-key', sixCalls(user));
  await receiver.hasEvents(24);
  for (const user of Object.keys(clients)) {
    for (const { type, fields } of sixCalls(user)) {
      const arrived = receiver.events.find((event) => event['type'] === type && event['userId'] === user);
      expectUnchanged(arrived, { type, ...fields });
    }
  }
  const stopped = service.stop();
  await service.logged(({ msg }) => msg === 'the service has ended');
  const endedAt = performance.now();
  expect(await stopped).toEqual({ code: 0, signal: null });
  // The process ends at once, although the driver's timer for a silent connection runs for 20 s.
  expect(performance.now() - endedAt).toBeLessThan(15_000);
});

test('with Redis a service that is killed loses no message that it has acknowledged', async () => {
  await killOne(1, await redis());
});
