import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { newEvent } from '../../src/delivery/completion-rule.js';
import type { EventStore } from '../../src/store/event-store.js';
import { MemoryStore } from '../../src/store/memory/memory-store.js';
import { startEndpoint, type TestEndpoint } from '../scheduler/test-endpoint.js';
import { openLmdbStore } from '../store/lmdb/open.js';
import { FakeClock, settled } from '../support/fake-clock.js';
import { idsAt, lettersOf, webhooksAt } from './letters.js';
import { next, openDestination } from './open.js';
import { track } from './track.js';

/** Closes the destination immediately, cutting off running requests. */
async function shut({ destination, clock }: Awaited<ReturnType<typeof openDestination>>): Promise<void> {
  const closed = destination.close({ timeout: 0 });
  await settled();
  await clock.pass(0);
  await closed;
}

const stores: [name: string, setUp: () => () => Promise<EventStore>][] = [
  [
    'memory',
    () => {
      const store = new MemoryStore();
      return async () => store;
    },
  ],
  [
    'lmdb',
    () => {
      const path = mkdtempSync(join(tmpdir(), 'eventferry-'));
      onTestFinished(() => rmSync(path, { recursive: true, force: true }));
      return () => openLmdbStore({ path, lock: 'alone' });
    },
  ],
];

describe.each(stores)('a destination in a store of %s', (_, setUp) => {
  test('waiting deliveries follow their webhook through twenty changes of its URL, and none of them dies', async () => {
    const open = setUp();
    const clock = new FakeClock();
    const [other, last] = [await startEndpoint(200), await startEndpoint(200)];
    const ids: string[] = [];
    for (let change = 0; change < 20; change++) {
      const down = await startEndpoint(503);
      const webhooks = change % 2 === 0 ? webhooksAt(down, other) : webhooksAt(other, down);
      const { destination } = await openDestination({ webhooks, settle: 'each', store: await open() }, { clock });
      for (let count = 0; count < 5; count++) {
        const id = `m${change}-${count}`;
        ids.push(id);
        await destination.deliver(track(id));
      }
      await down.has(1);
      await destination.close();
      expect(destination.counters().dead).toBe(0);
    }
    const { destination } = await openDestination(
      { webhooks: webhooksAt(last, other), settle: 'each', store: await open() },
      { clock },
    );
    await clock.pass(5_000);
    await destination.idle();
    expect(idsAt(last)).toEqual(ids.toSorted());
    expect(idsAt(other)).toEqual(ids.toSorted());
    expect(await lettersOf(destination.deadLetters())).toEqual([]);
    expect(destination.endpoints()).toMatchObject([
      { url: last.url, waiting: 0 },
      { url: other.url, waiting: 0 },
    ]);
  });

  test('waiting deliveries follow the id of their webhook, and are reported with its current URL and id', async () => {
    const open = setUp();
    const [down, ups] = [await startEndpoint(() => {}), [await startEndpoint(200), await startEndpoint(200)]];
    const [crm, shop] = ups as [TestEndpoint, TestEndpoint];
    const before = await openDestination({
      webhooks: [
        { url: down.url, id: 'shop' },
        { url: `${down.url}/2`, id: 'crm' },
      ],
      settle: 'each',
      store: await open(),
    });
    await before.destination.deliver(track('m1'));
    await shut(before);
    const { destination } = await openDestination({
      webhooks: [
        { url: crm.url, id: 'crm' },
        { url: shop.url, id: 'shop' },
      ],
      settle: 'each',
      store: await open(),
    });
    const reports: unknown[] = [];
    destination.on('attempt', ({ endpoint, webhookId }) => reports.push([endpoint, webhookId]));
    destination.on('delivered', ({ endpoint, webhookId }) => reports.push([endpoint, webhookId]));
    await destination.idle();
    expect([idsAt(crm), idsAt(shop)]).toEqual([['m1'], ['m1']]);
    expect(reports.toSorted()).toEqual(
      [
        [crm.url, 'crm'],
        [crm.url, 'crm'],
        [shop.url, 'shop'],
        [shop.url, 'shop'],
      ].toSorted(),
    );
    expect(destination.endpoints()).toMatchObject([
      { id: 'crm', url: crm.url },
      { id: 'shop', url: shop.url },
    ]);
  });

  test('the backlog of a removed webhook dies, and none of it is sent to another webhook', async () => {
    const open = setUp();
    const [removed, kept] = [await startEndpoint(() => {}), await startEndpoint(200)];
    const before = await openDestination({ webhooks: webhooksAt(removed, kept), settle: 'each', store: await open() });
    const delivered = next(before.destination, 'delivered');
    await before.destination.deliver(track('m1'));
    await delivered;
    await shut(before);
    const { destination } = await openDestination({ webhooks: webhooksAt(kept), settle: 'each', store: await open() });
    await destination.idle();
    expect(idsAt(kept)).toEqual(['m1']);
    expect(await lettersOf(destination.deadLetters())).toMatchObject([
      { id: 'm1', endpoint: removed.url, reason: 'permanent', attempts: [{ code: 'REMOVED' }] },
    ]);
  });

  test('deliveries stored before webhooks were recorded are sent to their URL or to the one that replaced it', async () => {
    const [up, down, next] = [await startEndpoint(200), 'https://down.example/', await startEndpoint(200)];
    const open = setUp();
    const store = await open();
    const body = Buffer.from('{"messageId":"m1"}');
    const event = newEvent('m1', 'track', [up.url, down], Date.now());
    await store.add(event, body);
    const { destination } = await openDestination({ webhooks: webhooksAt(up, next), settle: 'each', store });
    await destination.idle();
    expect([idsAt(up), idsAt(next)]).toEqual([['m1'], ['m1']]);
    expect(await lettersOf(destination.deadLetters())).toEqual([]);
  });

  test('deliveries that wait for a removed webhook are sent to another webhook that now has its URL', async () => {
    const open = setUp();
    const [a, b] = [await startEndpoint(200), await startEndpoint(200)];
    const store = await open();
    await store.webhooks.update(() => [
      { key: a.url, url: a.url },
      { key: b.url, url: b.url, isGone: true },
    ]);
    await store.add(newEvent('m1', 'track', [b.url], Date.now()), Buffer.from('{"messageId":"m1"}'));
    const { destination } = await openDestination({ webhooks: webhooksAt(b), store });
    await destination.deliver(track('m2'));
    await destination.idle();
    expect(idsAt(b)).toEqual(['m1', 'm2']);
    expect(await lettersOf(destination.deadLetters())).toEqual([]);
  });
});
