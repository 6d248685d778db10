import { describe, expect, test } from 'vitest';
import type { SourcePage } from '../../src/service/api/answer-types.js';
import { call } from './api.js';
import { type Call, expectUnchanged, sixCalls } from './calls.js';
import { clients } from './clients.js';
import { destinationOf } from './destinations.js';
import { type Arrived, WebhookReceiver } from './receiver.js';
import { Home } from './service.js';

/** Two sources and three destinations, one of which is disabled. */
async function office() {
  const crm = await WebhookReceiver.start('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
  const warehouse = await WebhookReceiver.start('the secret of the warehouse');
  const off = await WebhookReceiver.start('a secret');
  const home = await Home.make({
    sources: [
      {
        ...{ name: 'shop', writeKeys: ['shop-key', 'old-shop-key'], destinations: ['crm', 'warehouse', 'off'] },
        trackSchema: { blocked: ['Mouse Moved'] },
      },
      { name: 'app', writeKeys: ['app-key'], destinations: ['warehouse'] },
    ],
    destinations: [
      destinationOf('crm', crm, { sign: ['x-signature', 'standard'], settle: 'each' }),
      destinationOf('warehouse', warehouse),
      destinationOf('off', off, { enabled: false }),
    ],
  });
  return { crm, warehouse, off, service: await home.start() };
}

const of = (receiver: WebhookReceiver, user: string): Arrived[] =>
  receiver.events.filter(({ userId }) => userId === user);

const track = (user: string, event: string, fields: object = {}): Call => ({
  type: 'track',
  fields: { userId: user, event, ...fields },
});

/** The last message of a test. When it has arrived, everything that was sent before it has arrived too. */
const last = (user: string): Call => track(user, 'Last Of All');

describe.for(Object.entries(clients))('%s', ([, client]) => {
  test('all six types arrive unchanged and signed at the destinations of their source', async () => {
    const { crm, warehouse, off, service } = await office();
    await client.send(service.url, 'shop-key', sixCalls('in the shop'));
    await client.send(service.url, 'app-key', sixCalls('in the app'));
    await crm.hasEvents(6);
    await warehouse.hasEvents(12);

    for (const [receiver, user] of [
      [crm, 'in the shop'],
      [warehouse, 'in the shop'],
      [warehouse, 'in the app'],
    ] as const) {
      for (const each of sixCalls(user)) {
        const arrived = of(receiver, user).find(({ type }) => type === each.type);
        expectUnchanged(arrived, { type: each.type, ...each.fields });
        expect(arrived?.['context']).toMatchObject({ library: { name: client.library } });
      }
    }
    expect(of(crm, 'in the app')).toEqual([]);
    expect(off.events).toEqual([]);
    expect([...crm.refused, ...warehouse.refused]).toEqual([]);
  });

  test('messages that the track schema blocks or the integrations exclude are counted and not forwarded', async () => {
    const { crm, warehouse, service } = await office();
    await client.send(service.url, 'old-shop-key', [
      track('u', 'Mouse Moved'),
      track('u', 'Left Out', { integrations: { Webhooks: false } }),
      track('u', 'All Left Out', { integrations: { All: false } }),
      track('u', 'Named', { integrations: { All: false, Webhooks: true } }),
      { type: 'identify', fields: { userId: 'u', traits: {}, integrations: { 'Somebody Else': false } } },
    ]);
    await client.send(service.url, 'shop-key', [last('u')]);
    await crm.hasEvents(3);
    await warehouse.hasEvents(3);

    const events = warehouse.events.map(({ type, event }) => event ?? type);
    expect(events.sort()).toEqual(['Last Of All', 'Named', 'identify']);
    const { sources } = await call<SourcePage>(service.url, 'GET', '/v1/sources');
    const [source] = sources;
    expect(source?.lastHour).toMatchObject({ received: 6, blocked: 1, rejected: 0, forwarded: 6 });
  });
});
