import Koa from 'koa';
import { expect, test } from 'vitest';
import { createReceiver, toKoaMiddleware } from '../../src/webhooks/index.js';
import { sampleDelivery } from '../../src/webhooks/testing/index.js';
import { listen } from './listen.js';

const delivery = sampleDelivery('track', { secret: 'shhh' });

async function post(before: Koa.Middleware): Promise<[number, string]> {
  const receiver = createReceiver({ secrets: 'shhh', onEvent: () => {}, onError: () => {} });
  const url = await listen(new Koa().use(before).use(toKoaMiddleware(receiver)).callback());
  const response = await fetch(url, delivery);
  return [response.status, await response.text()];
}

const consume: Koa.Middleware = async ({ req }, next) => {
  await req.toArray();
  return next();
};

test('the Koa middleware answers 500 with advice if a parser consumed the body', async () => {
  expect(await post(consume)).toEqual([500, expect.stringContaining('Mount the receiver before the body parser')]);
});

test.each([
  ['bytes on the request, as some platforms do', 'req', Buffer.from(delivery.body)],
  ["text on Koa's request, as its body parsers do", 'request', delivery.body],
] as const)('the Koa middleware accepts a body that was kept as %s', async (_, where, rawBody) => {
  const keep: Koa.Middleware = (context, next) => {
    Object.assign(context[where], { rawBody });
    return consume(context, next);
  };
  expect(await post(keep)).toEqual([200, 'ok\n']);
});
