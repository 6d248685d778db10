import { expect, test } from 'vitest';
import { MESSAGE_TYPES } from '../../../src/protocol/field-table.js';
import { client } from '../../support/client.js';
import { callOf, sampleCalls } from '../../support/sample-calls.js';
import { sink } from '../../support/sink.js';

test('a child fills in the fields that a message lacks', async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url, context: { ip: '1', locale: 'de' } });
  const user = analytics.child({ userId: 'u1', context: { ip: '2' }, integrations: { A: true } });
  user.track({ event: 'one' });
  user.track({ event: 'two', userId: 'u2', context: { ip: '3' }, integrations: { A: false } });
  await analytics.flush();
  expect(collector.messages).toMatchObject([
    { event: 'one', userId: 'u1', context: { ip: '2', locale: 'de' }, integrations: { A: true } },
    { event: 'two', userId: 'u2', context: { ip: '3', locale: 'de' }, integrations: { A: false } },
  ]);
});

test('a child of a child fills in the fields of both, preferring its own', async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url });
  const inner = analytics
    .child({ anonymousId: 'a1', context: { ip: '1', locale: 'de' } })
    .child({ context: { ip: '2' } });
  inner.page({ name: 'Pricing' });
  await analytics.flush();
  expect(collector.messages).toMatchObject([{ anonymousId: 'a1', context: { ip: '2', locale: 'de' } }]);
});

test('a child fills in its fields for every kind of call', async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url });
  const user = analytics.child({ userId: 'filled in' });
  for (const type of MESSAGE_TYPES) callOf(user, type, { ...sampleCalls[type], userId: undefined });
  await analytics.flush();
  expect(collector.messages).toMatchObject(
    MESSAGE_TYPES.map((type) => ({ type, ...sampleCalls[type], userId: 'filled in' })),
  );
});

test('a child shares the queue and the counters of its client, and does not change the client', async () => {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url });
  const receipt = analytics.child({ userId: 'u1' }).track({ event: 'e' });
  expect(analytics.pending.messages).toBe(1);
  expect(() => analytics.track({ event: 'e' } as never)).toThrow('track.userId');
  await analytics.flush();
  await receipt.delivered;
});

test('a child checks its fields when it is made', () => {
  const { analytics } = client({ endpoint: 'http://127.0.0.1:1' });
  expect(() => analytics.child({ userId: 42 } as never)).toThrow(
    'Expected `userId` to be a non-empty string, got number 42',
  );
  expect(() => analytics.child({ context: { integrations: { A: 1 } } } as never)).toThrow('`context.integrations.A`');
  expect(() => analytics.child({ event: 'e' } as never)).toThrow('`event`');
});

test('the client fills in the fields that a child gives as null or as an empty id', async () => {
  const { url, messages } = await sink();
  const { analytics } = client({ endpoint: url, context: { locale: 'de' }, integrations: null });
  const user = analytics.child({ userId: 'u', anonymousId: null, context: null, integrations: { A: true } });
  user
    .child({ userId: null, anonymousId: '', context: { integrations: null }, integrations: null })
    .track({ event: 'e' });
  await analytics.close();
  expect(messages).toMatchObject([{ userId: 'u', context: { locale: 'de' }, integrations: { A: true } }]);
  expect(messages[0]).not.toHaveProperty('anonymousId');
  expect(messages[0]?.context).toEqual({ locale: 'de' });
});
