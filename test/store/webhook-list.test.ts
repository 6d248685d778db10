import { expect, test } from 'vitest';
import { MemoryKeyValueStore } from '../../src/store/memory/memory-key-value-store.js';
import { type KnownWebhook, WebhookList } from '../../src/store/webhook-list.js';

const A = { key: 'https://a.example/', url: 'https://a.example/' };
const B = { key: 'https://b.example/', url: 'https://b.example/' };

test('each destination has a list of its own, which survives another one with the same name', async () => {
  const keyValues = new MemoryKeyValueStore();
  const [orders, mail] = ['orders/eu', 'mail'].map((name) => new WebhookList(keyValues, name));
  await orders?.update(() => [A]);
  await mail?.update(() => [B]);
  expect(await new WebhookList(keyValues, 'orders/eu').read()).toEqual([A]);
  expect(await new WebhookList(keyValues, 'mail').read()).toEqual([B]);
  expect(await new WebhookList(keyValues, 'orders').read()).toBeUndefined();
});

test('a list keeps the changes that two processes make at the same time', async () => {
  const keyValues = new MemoryKeyValueStore();
  const [one, other] = [new WebhookList(keyValues, 'orders'), new WebhookList(keyValues, 'orders')];
  const add =
    (webhook: KnownWebhook) =>
    (known: readonly KnownWebhook[] = []) => [...known, webhook];
  await Promise.all([one.update(add(A)), other.update(add(B))]);
  expect(await one.read()).toHaveLength(2);
});

test('a list that stays the same is not written, but its listener is told', async () => {
  const keyValues = new MemoryKeyValueStore();
  const told: unknown[] = [];
  const list = new WebhookList(keyValues, 'orders', async (known) => void told.push(known));
  await list.update(() => [A]);
  keyValues.writeIf = () => expect.unreachable('It writes');
  await list.update((known = []) => known);
  expect(told).toEqual([[A], [A]]);
});

test('restoring a missing list writes its last known value, and restoring an existing list changes nothing', async () => {
  const keyValues = new MemoryKeyValueStore();
  const [one, other] = [new WebhookList(keyValues, 'orders'), new WebhookList(keyValues, 'orders')];
  await one.update(() => [A]);
  await keyValues.removeAll('webhooks/');
  await other.restore();
  expect(await one.read()).toBeUndefined();
  await one.restore();
  expect(await one.read()).toEqual([A]);
  await other.update(() => [B]);
  await one.restore();
  expect(await one.read()).toEqual([B]);
});

test('a damaged list causes an error that names its record and quotes none of its contents', async () => {
  const keyValues = new MemoryKeyValueStore();
  await keyValues.write([{ key: 'webhooks/orders', value: '[{"key":"https://a.example/secret\u0001"' }]);
  const failure = await new WebhookList(keyValues, 'orders').read().catch((error: unknown) => error);
  expect(failure).toMatchObject({
    code: 'EVENTFERRY_STORE_DAMAGED',
    message: expect.stringContaining('webhooks/orders'),
  });
  expect(String(failure)).not.toContain('secret');
});
