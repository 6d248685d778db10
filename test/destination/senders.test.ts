import { expect, onTestFinished, test } from 'vitest';
import { Exchange } from '../../src/destination/exchange.js';
import { resolveOptions } from '../../src/destination/options.js';
import { Senders } from '../../src/destination/senders.js';
import { startEndpoint } from '../scheduler/test-endpoint.js';
import { FakeClock } from '../support/fake-clock.js';

const BODY = Buffer.from('{}');

async function openSenders() {
  const endpoint = await startEndpoint(200);
  const options = resolveOptions({ webhooks: [{ url: endpoint.url }], allowLoopback: true });
  const senders = new Senders(options, { clock: new FakeClock() });
  onTestFinished(() => senders.destroy());
  const [webhook] = options.webhooks;
  if (webhook === undefined) throw new Error('Expected a webhook');
  return { endpoint, senders, sender: senders.to(webhook) };
}

test('a webhook is posted to with the same agent each time, and a test of it keeps what went over the wire', async () => {
  const { endpoint, sender } = await openSenders();
  expect(await sender.send('m1', BODY)).toMatchObject({ status: 200, exchange: undefined });
  expect(await sender.send('m2', BODY)).toMatchObject({ status: 200 });
  expect((await sender.test('m3', BODY)).exchange).toBeInstanceOf(Exchange);
  expect(endpoint.received).toHaveLength(3);
});

test('senders that were never used have nothing to cut off', async () => {
  const { endpoint, senders } = await openSenders();
  await senders.destroy();
  expect(endpoint.received).toEqual([]);
});
