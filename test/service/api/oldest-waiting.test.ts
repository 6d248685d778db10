import { expect, test } from 'vitest';
import { newEvent } from '../../../src/delivery/completion-rule.js';
import { oldestWaiting } from '../../../src/service/api/oldest-waiting.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';

const [HOOK, OTHER] = ['http://127.0.0.1:9/hook', 'http://127.0.0.1:9/other'];
const NOW = Date.parse('2026-11-20T12:00:00.000Z');

async function storeWith(...waiting: readonly { url: string; at: number; due?: number }[]) {
  const store = await memoryStorage().deliveries('crm');
  const body = Buffer.from('{}');
  const add = async ({ url, at, due }: (typeof waiting)[number], id = `m${at}`): Promise<void> => {
    await store.add(newEvent(id, 'track', [url], at, { bytes: body.length }), body);
    if (due === undefined) return;
    const retrying = { phase: 'retrying', due, firstAttemptAt: at, attempts: 1, history: [] } as const;
    await store.update(id, (event) => ({ ...event, urls: { [url]: retrying } }));
  };
  for (const each of waiting) await add(each);
  return { store, add };
}

test('the oldest of what was never tried is found in the queues of all webhooks', async () => {
  const { store } = await storeWith({ url: HOOK, at: NOW - 1_000 }, { url: OTHER, at: NOW - 5_000 });
  expect(await oldestWaiting(store, NOW)).toBe(NOW - 5_000);
});

test('a retry counts with the time of its acceptance, not with the time when it is due', async () => {
  const { store } = await storeWith(
    { url: HOOK, at: NOW - 1_000 },
    { url: HOOK, at: NOW - 60_000, due: NOW + 30_000 },
    { url: HOOK, at: NOW - 90_000, due: NOW + 60_000 },
  );
  expect(await oldestWaiting(store, NOW)).toBe(NOW - 90_000);
});

test('without waiting deliveries there is no oldest one', async () => {
  const { store } = await storeWith();
  expect(await oldestWaiting(store, NOW)).toBeUndefined();
});

test('what was found is taken for what is for five seconds', async () => {
  const { store, add } = await storeWith({ url: HOOK, at: NOW - 1_000 });
  expect(await oldestWaiting(store, NOW)).toBe(NOW - 1_000);
  await add({ url: HOOK, at: NOW - 2_000 });
  expect(await oldestWaiting(store, NOW + 4_999)).toBe(NOW - 1_000);
  expect(await oldestWaiting(store, NOW + 5_000)).toBe(NOW - 2_000);
});
