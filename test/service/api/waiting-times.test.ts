import { describe, expect, test } from 'vitest';
import { newEvent } from '../../../src/delivery/completion-rule.js';
import type { EndpointReport } from '../../../src/destination/endpoints/endpoint-report.js';
import { waitingTimes } from '../../../src/service/api/waiting-times.js';
import type { EventStore } from '../../../src/store/event-store.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';

const [HOOK, OTHER] = ['http://127.0.0.1:9/hook', 'http://127.0.0.1:9/other'];
const NOW = Date.parse('2026-11-20T12:00:00.000Z');

interface Given {
  readonly url: string;
  readonly at: number;
  readonly due?: number;
}

async function storeWith(...waiting: readonly Given[]) {
  const store = await memoryStorage().deliveries('crm');
  const body = Buffer.from('{}');
  const add = async ({ url, at, due }: Given, id = `m${at}`): Promise<void> => {
    await store.add(newEvent(id, 'track', [url], at, { bytes: body.length }), body);
    if (due === undefined) return;
    const retrying = { phase: 'retrying', due, firstAttemptAt: at, attempts: 1, history: [] } as const;
    await store.update(id, (event) => ({ ...event, urls: { [url]: retrying } }));
  };
  for (const each of waiting) await add(each);
  return { store, add };
}

/** A destination with the given `retryFor`, whose webhook has been failing since `failingSince`. */
const placeOf = (
  store: EventStore,
  { retryFor = 14_400_000, failingSince }: { retryFor?: number; failingSince?: number } = {},
) => ({
  store,
  config: { retryFor },
  destination: { endpoints: () => [{ failingSince } as EndpointReport] },
});

test('the oldest delivery that was never tried is found in the queues of all webhooks', async () => {
  const { store } = await storeWith({ url: HOOK, at: NOW - 1_000 }, { url: OTHER, at: NOW - 5_000 });
  expect((await waitingTimes(placeOf(store), NOW)).oldest).toBe(NOW - 5_000);
});

test('a retry counts from its acceptance, not from when it is due', async () => {
  const { store } = await storeWith(
    { url: HOOK, at: NOW - 1_000 },
    { url: HOOK, at: NOW - 60_000, due: NOW + 30_000 },
    { url: HOOK, at: NOW - 90_000, due: NOW + 60_000 },
  );
  expect((await waitingTimes(placeOf(store), NOW)).oldest).toBe(NOW - 90_000);
});

test('without waiting deliveries there is no oldest one', async () => {
  const { store } = await storeWith();
  expect((await waitingTimes(placeOf(store), NOW)).oldest).toBeUndefined();
});

test('the result is reused for five seconds', async () => {
  const { store, add } = await storeWith({ url: HOOK, at: NOW - 1_000 });
  expect((await waitingTimes(placeOf(store), NOW)).oldest).toBe(NOW - 1_000);
  await add({ url: HOOK, at: NOW - 2_000 });
  expect((await waitingTimes(placeOf(store), NOW + 4_999)).oldest).toBe(NOW - 1_000);
  expect((await waitingTimes(placeOf(store), NOW + 5_000)).oldest).toBe(NOW - 2_000);
});

describe('the first waiting delivery becomes a dead letter', () => {
  const HOUR = 60 * 60_000;
  const tried = { url: HOOK, at: NOW - HOUR, due: NOW + 30_000 };
  const firstDeath = async (waiting: readonly Given[], given?: Parameters<typeof placeOf>[1]) =>
    (await waitingTimes(placeOf((await storeWith(...waiting)).store, given), NOW)).firstDeath;

  test.each([
    ['four hours after its first attempt, by default', {}, 3 * HOUR],
    ['when the `retryFor` of the destination ends', { retryFor: 2 * HOUR }, HOUR],
    ['earlier if the webhook has failed for longer', { failingSince: NOW - 2 * HOUR }, 2 * HOUR],
    ['but never in the past, because dead letters no longer wait', { failingSince: NOW - 9 * HOUR }, 3 * HOUR],
  ])('%s', async (_, given, inMs) => {
    expect(await firstDeath([tried], given)).toBe(NOW + inMs);
  });

  test('the first dead letter has no known time if no waiting delivery was tried', async () => {
    expect(await firstDeath([{ url: HOOK, at: NOW - HOUR }], { failingSince: NOW - HOUR })).toBeUndefined();
  });
});
