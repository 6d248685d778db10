import { expect, test } from 'vitest';
import { ReadinessCheck } from '../../../src/service/operations/readiness.js';
import { StoreFullError } from '../../../src/store/errors.js';

function open(check: () => Promise<void>) {
  const state = { isClosing: false, looks: 0 };
  const readiness = new ReadinessCheck({
    storage: {
      check: () => {
        state.looks++;
        return check();
      },
    },
    isClosing: () => state.isClosing,
    waiting: () => Array.from({ length: 7 }, (_, index) => ({ name: `c${index}`, waiting: index })),
    onError: () => {},
  });
  return { readiness, state };
}

test('several who ask at the same time cost one look at the store', async () => {
  const { readiness, state } = open(async () => {});
  expect(await Promise.all([readiness.now(), readiness.now(), readiness.now()])).toEqual(
    Array.from({ length: 3 }, () => ({ ready: true })),
  );
  expect(state.looks).toBe(1);
});

test('a full store is told with the five destinations for which most waits', async () => {
  const { readiness } = open(() => Promise.reject(new StoreFullError('/data', 5 * 2 ** 20)));
  expect(await readiness.now()).toEqual({
    ready: false,
    code: 'store-full',
    reason: 'The store takes no new events: 5 MB are free; deliveries that wait: c6 6, c5 5, c4 4, c3 3, c2 2',
  });
  await expect(readiness.assert()).rejects.toMatchObject({ status: 503, code: 'not_ready' });
});

test('a service that closes is not ready, whatever its store says', async () => {
  const { readiness, state } = open(async () => {});
  state.isClosing = true;
  expect(await readiness.now()).toMatchObject({ ready: false, code: 'closing' });
  await expect(readiness.assert()).rejects.toMatchObject({ status: 503, code: 'closing' });
  expect(state.looks).toBe(0);
});
