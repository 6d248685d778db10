import { expect, test } from 'vitest';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { startEndpoint } from '../../scheduler/test-endpoint.js';
import { type Asking, configOf, destinationOf, sendBatch, serving, sourceOf, track } from '../support.js';

/** Every call that takes the name of a destination, with its status after that destination was removed and holds nothing. */
const calls: readonly [method: string, path: (name: string) => string, afterRemoval: number, json?: object][] = [
  ['GET', (name) => `/v1/deliveries?destination=${name}`, 200],
  ['GET', (name) => `/v1/deliveries?destination=${name}&phase=delivered`, 200],
  ['GET', (name) => `/v1/deliveries?destination=${name}&phase=waiting`, 200],
  ['GET', (name) => `/v1/deliveries?destination=${name}&phase=dead&count=true`, 200],
  ['GET', (name) => `/v1/destinations/${name}/history`, 200],
  ['GET', (name) => `/v1/destinations/${name}/errors`, 200],
  ['GET', (name) => `/v1/destinations/${name}`, 404],
  ['PUT', (name) => `/v1/destinations/${name}/paused`, 404, { paused: true }],
  ['PUT', (name) => `/v1/destinations/${name}/enabled`, 404, { enabled: true }],
  ['POST', (name) => `/v1/destinations/${name}/test`, 404, {}],
  ['POST', () => '/v1/deliveries/replay', 404, { all: true }],
  ['POST', () => '/v1/deliveries/discard', 404, { all: true }],
];

const asking = (method: string, name: string, json: object | undefined): Asking =>
  json === undefined ? { method } : { method, json: 'all' in json ? { ...json, destination: name } : json };

test.each(calls)('%s %s answers 404 for a destination that was never configured', async (method, path, _, json) => {
  const { ask } = await serving(configOf({ destinations: [destinationOf('http://127.0.0.1:9/')] }));
  for (const name of ['unknown', 'x'.repeat(1_000)]) {
    const { status, body } = await ask(path(name), asking(method, name, json));
    const message = 'There is no destination of this name';
    expect({ status, body }).toEqual({ status: 404, body: { code: 'not_found', message } });
  }
});

test('the records of a removed destination can be read after its last delivery', async () => {
  const crm = await startEndpoint(200);
  const storage = memoryStorage();
  const { url, service } = await serving(configOf({ destinations: [destinationOf(crm.url)] }), { storage });
  await sendBatch(url, track('m1'));
  await service.destinations()[0]?.destination.idle();
  await service.close();
  const other = destinationOf(crm.url, { name: 'other' });
  const config = configOf({ sources: [sourceOf({ destinations: ['other'] })], destinations: [other] });
  const { ask } = await serving(config, { storage });
  for (const [method, path, afterRemoval, json] of calls) {
    const { status } = await ask(path('crm'), asking(method, 'crm', json));
    expect({ at: `${method} ${path('crm')}`, status }).toEqual({
      at: `${method} ${path('crm')}`,
      status: afterRemoval,
    });
  }
  expect((await ask('/v1/deliveries?destination=crm')).body.deliveries).toMatchObject([{ id: 'm1' }]);
});
