import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { between, chance } from './chance.js';
import { destinationOf } from './destinations.js';
import { eventferryLoad, type Load, segmentLoad } from './load.js';
import { WebhookReceiver } from './receiver.js';
import { Home, isWaiting } from './service.js';

/** A receiver, and a home with a source for each of two clients. */
export async function twoSources(config: object = {}): Promise<{ receiver: WebhookReceiver; place: Home }> {
  const receiver = await WebhookReceiver.start();
  const place = await Home.make({
    sources: [
      { name: 'ours', writeKeys: ['our-key'], destinations: ['crm'] },
      { name: 'theirs', writeKeys: ['their-key'], destinations: ['crm'] },
    ],
    destinations: [destinationOf('crm', receiver)],
    ...config,
  });
  return { receiver, place };
}

/** Kills a service at random moments under the load of two clients, and starts it again each time. */
export async function killOne(kills: number, config: object = {}): Promise<void> {
  const next = chance();
  const { receiver, place } = await twoSources(config);
  let service = await place.start();
  const loads = [eventferryLoad(place.url, 'our-key'), segmentLoad(place.url, 'their-key')];
  for (let kill = 0; kill < kills; kill++) {
    await goOn(loads, next);
    await service.kill();
    service = await place.start();
  }
  await expectAllAt(receiver, loads);
}

/** Starts a second service that waits for the folder, kills or stops the first under load, and then swaps their roles. */
export async function handOver(times: number): Promise<void> {
  const next = chance();
  const { receiver, place } = await twoSources();
  let service = await place.start();
  const loads = [eventferryLoad(place.url, 'our-key'), segmentLoad(place.url, 'their-key')];
  for (let each = 0; each < times; each++) {
    const successor = place.launch();
    await successor.logged(isWaiting);
    await goOn(loads, next);
    expect(successor.lines).toHaveLength(1);
    await (next() < 0.5 ? service.kill() : service.stop());
    await successor.listening;
    service = successor;
  }
  await expectAllAt(receiver, loads);
}

/** Kills either of two services that share a Redis, each with its own client, and starts it again. */
export async function killEither(kills: number, config: object): Promise<void> {
  const next = chance();
  const { receiver, place } = await twoSources(config);
  const neighbour = await place.neighbour();
  const pairs = [
    { place, service: await place.start(), load: eventferryLoad(place.url, 'our-key') },
    { place: neighbour, service: await neighbour.start(), load: segmentLoad(neighbour.url, 'their-key') },
  ];
  const loads = pairs.map(({ load }) => load);
  for (let kill = 0; kill < kills; kill++) {
    await goOn(loads, next);
    const [victim, survivor] = next() < 0.5 ? pairs : pairs.toReversed();
    if (victim === undefined) throw new Error('There are two');
    await victim.service.kill();
    await survivor?.load.more(20);
    victim.service = await victim.place.start();
  }
  await expectAllAt(receiver, loads);
}

async function goOn(loads: readonly Load[], next: () => number): Promise<void> {
  await Promise.all(loads.map((load) => load.more(between(next, 1, 300))));
  await delay(between(next, 0, 50));
}

async function expectAllAt(receiver: WebhookReceiver, loads: readonly Load[]): Promise<void> {
  await Promise.all(loads.map((load) => load.stop()));
  for (const load of loads) await load.expectArrivedAt(receiver);
  expect(receiver.refused).toEqual([]);
}
