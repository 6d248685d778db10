import fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { createReceiver, toFastifyPlugin } from '../../src/webhooks/index.js';
import { sampleDelivery } from '../../src/webhooks/testing/index.js';

const plugin = toFastifyPlugin(createReceiver({ secrets: 'shhh', onEvent: () => {}, onError: () => {} }));
const delivery = sampleDelivery('track', { secret: 'shhh' });

function newFastify() {
  const app = fastify();
  onTestFinished(() => app.close());
  return app;
}

test('the Fastify plugin accepts deliveries at its path below its prefix', async () => {
  const app = newFastify();
  app.register(plugin, { prefix: '/hooks', path: '/events' });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  expect((await fetch(`${url}/hooks/events`, delivery)).status).toBe(200);
});

test('the Fastify plugin answers 500 with advice if a hook consumed the body', async () => {
  const app = newFastify();
  app.addHook('onRequest', async ({ raw }) => void (await raw.toArray()));
  app.register(plugin);
  const response = await fetch(await app.listen({ port: 0, host: '127.0.0.1' }), delivery);
  expect([response.status, await response.text()]).toEqual([500, expect.stringContaining('whose hook reads')]);
});
