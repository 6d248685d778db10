import { expect, test } from 'vitest';
import { ReadinessCheck } from '../../../src/service/operations/readiness.js';
import type { ManagedDestination } from '../../../src/service/routing/managed-destination.js';
import { StoreFullError } from '../../../src/store/store-errors.js';

const managed = (name: string, waiting: number, ...endpoints: object[]) =>
  ({ name, destination: { waiting, endpoints: () => endpoints } }) as unknown as ManagedDestination;

function open(check: () => Promise<void>) {
  const unclaimed: { name: string; host: string; ms: number }[] = [];
  const state = { isClosing: false, looks: 0, unclaimed };
  const readiness = new ReadinessCheck({
    storage: {
      check: () => {
        state.looks++;
        return check();
      },
    },
    isClosing: () => state.isClosing,
    managedDestinations: {
      get byName() {
        const waiting = Array.from({ length: 7 }, (_, index) => managed(`c${index}`, index));
        const unclaimed = state.unclaimed.map(({ name, host, ms }) =>
          managed(name, 0, { url: host, dueUnclaimedMs: ms }),
        );
        return new Map([...waiting, ...unclaimed].map((each) => [each.name, each]));
      },
    },
    onError: () => {},
  });
  return { readiness, state };
}

test('several callers at the same time share one check of the store', async () => {
  const { readiness, state } = open(async () => {});
  expect(await Promise.all([readiness.now(), readiness.now(), readiness.now()])).toEqual(
    Array.from({ length: 3 }, () => ({ ready: true })),
  );
  expect(state.looks).toBe(1);
});

test('a full store is reported with the five destinations that have the most waiting deliveries', async () => {
  const { readiness } = open(() => Promise.reject(new StoreFullError('/data', 5 * 2 ** 20)));
  expect(await readiness.now()).toEqual({
    ready: false,
    code: 'store-full',
    reason: 'The store takes no new events: 5 MB are free; deliveries that wait: c6 6, c5 5, c4 4, c3 3, c2 2',
    open: 'The store takes no new events: 5 MB are free',
  });
  await expect(readiness.assert()).rejects.toMatchObject({
    status: 503,
    code: 'not_ready',
    message: 'The store takes no new events: 5 MB are free',
  });
});

test('a service that closes is not ready, whatever the state of its store is', async () => {
  const { readiness, state } = open(async () => {});
  state.isClosing = true;
  expect(await readiness.now()).toMatchObject({ ready: false, code: 'closing' });
  await expect(readiness.assert()).rejects.toMatchObject({ status: 503, code: 'closing' });
  expect(state.looks).toBe(0);
});

test('deliveries that could begin but do not are reported after a minute, the worst first, and the service stays ready', async () => {
  const { readiness, state } = open(async () => {});
  state.unclaimed = [{ name: 'crm', host: 'https://a.example', ms: 60_000 }];
  expect(await readiness.now()).toEqual({ ready: true });
  state.unclaimed = [
    { name: 'crm', host: 'https://a.example', ms: 61_000 },
    { name: 'ads', host: 'https://b.example', ms: 90_500 },
  ];
  expect(await readiness.now()).toEqual({
    ready: true,
    overdue: 'No process begins deliveries that have been due for 90 s: ads at https://b.example (and 1 more)',
  });
  await readiness.assert();
});
