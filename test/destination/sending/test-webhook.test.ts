import { expect, test } from 'vitest';
import { Exchange } from '../../../src/destination/sending/exchange.js';
import { testWebhook } from '../../../src/destination/sending/test-webhook.js';
import { FakeClock } from '../../support/fake-clock.js';

const EVENT = { id: 'm1', type: 'track', body: Buffer.from('{}') } as const;

test('a tested webhook is reported with its answer, its duration and its exchange', async () => {
  const clock = new FakeClock();
  const exchange = new Exchange(EVENT.body, { 'content-type': 'application/json' }, []);
  const tested = await testWebhook(
    async () => {
      await clock.pass(30);
      return { status: 503, retryAfter: undefined, text: 'later', exchange };
    },
    EVENT,
    clock,
  );
  expect(tested.attempt).toMatchObject({ durationMs: 30, status: 503, result: 'server-error', answer: 'later' });
  expect(tested.exchange).toEqual({ sent: { headers: { 'content-type': 'application/json' } }, answer: undefined });
});

test('a tested webhook to which no request was made is reported with an error and without an exchange', async () => {
  const tested = await testWebhook(async () => ({ code: 'ECONNREFUSED' }), EVENT, new FakeClock());
  expect(tested).toMatchObject({ attempt: { code: 'ECONNREFUSED', result: 'network' }, exchange: undefined });
});
