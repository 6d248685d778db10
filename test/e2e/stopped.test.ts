import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { track } from '../service/support.js';
import { call } from './api.js';
import { between, chance } from './chance.js';
import { destinationOf } from './destinations.js';
import { eventferryLoad } from './load.js';
import { WebhookReceiver } from './receiver.js';
import { Requests } from './requests.js';
import { Home, isEnding } from './service.js';
import { beginRequest } from './slow-request.js';

const ROUNDS = 4;

/** How long a service that is closing reads from each connection, in ms, minus one because a timer may be a millisecond early. */
const READ_MS = 100 - 1;

async function home() {
  const receiver = await WebhookReceiver.start();
  const sources = [{ name: 'shop', writeKeys: ['shop-key'], destinations: ['crm'] }];
  return { receiver, home: await Home.make({ sources, destinations: [destinationOf('crm', receiver)] }) };
}

test('SIGTERM under load ends the service with exit code 0 after every request is answered, and no message is lost', async () => {
  const next = chance();
  const { receiver, home: place } = await home();
  for (let round = 0; round < ROUNDS; round++) {
    const service = await place.start();
    const requests = new Requests(service.url, 'shop-key', `round ${round} `);
    await requests.more(between(next, 50, 500));
    await delay(between(next, 0, 20));
    const askedAt = performance.now();
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    await requests.stop();
    // A request that was on its way is answered with 503, and connections are refused when the service has ended. A connection
    // that was idle for long is closed, possibly just when a request arrives.
    const outcomes = [200, 503, 'ECONNREFUSED', 'ECONNRESET', 'EPIPE'];
    expect(outcomes).toEqual(expect.arrayContaining([...requests.outcomes.keys()]));
    expect(requests.broken.filter((sentAt) => sentAt < askedAt + READ_MS)).toEqual([]);

    const after = await place.start();
    await receiver.has(requests.acknowledged);
    expect(await after.stop()).toEqual({ code: 0, signal: null });
  }
});

test('a request that has begun when SIGTERM arrives is accepted and answered', async () => {
  const { receiver, home: place } = await home();
  const service = await place.start();
  const slow = await beginRequest(service.url, 'shop-key', [track('slow')]);
  const ended = service.stop();
  await service.logged(isEnding);
  expect(await slow.finish()).toBe(200);
  expect(await ended).toEqual({ code: 0, signal: null });
  await place.start();
  await receiver.has(['slow']);
});

test('SIGHUP applies a changed configuration while requests continue, and does not apply a wrong one', async () => {
  const { receiver: crm, home: place } = await home();
  const warehouse = await WebhookReceiver.start('another secret');
  const service = await place.start();
  const requests = new Requests(service.url, 'shop-key', 'before ');
  const load = eventferryLoad(service.url, 'shop-key');
  const reread = async (isGood: boolean): Promise<void> => {
    service.signal('SIGHUP');
    const isRead = async (): Promise<boolean> => {
      const { config } = await call<Status>(service.url, 'GET', '/v1/status');
      return (config.error === undefined) === isGood;
    };
    while (!(await isRead())) await delay(20);
  };
  await requests.more(100);

  await place.write('{ "sources": [ }');
  await reread(false);
  await requests.more(100);

  await place.configure({
    sources: [{ name: 'shop', writeKeys: ['shop-key', 'new-key'], destinations: ['crm', 'warehouse'] }],
    // The destination is reopened, because it has another concurrency.
    destinations: [destinationOf('crm', crm, { concurrency: 8 }), destinationOf('warehouse', warehouse)],
  });
  await reread(true);
  const later = new Requests(service.url, 'new-key', 'after ');
  await Promise.all([requests.more(100), later.more(100)]);

  await Promise.all([requests.stop(), later.stop(), load.stop()]);
  expect([...requests.outcomes.keys(), ...later.outcomes.keys()]).toEqual([200, 200]);
  await load.expectArrivedAt(crm);
  await crm.has(requests.acknowledged);
  await crm.has(later.acknowledged);
  await warehouse.has(later.acknowledged);
});

interface Status {
  readonly config: { readonly error?: string };
}
