import { expect, test } from 'vitest';
import { DeliveryErrors } from '../../../src/ledger/examples/delivery-errors.js';
import { ProcessValues } from '../../../src/ledger/process-values.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { FakeClock } from '../../support/fake-clock.js';
import { exchangedOf } from '../attempts/support.js';

function open() {
  const [{ keyValues }, clock] = [memoryStorage(), new FakeClock()];
  const values = new ProcessValues(keyValues);
  const errors = new DeliveryErrors({ keyValues, clock, values });
  const fail = (id: string, answered: { status?: number; code?: string }, key = 'k'): void => {
    const attempted = exchangedOf(id, { at: clock.now(), isRetried: true });
    const attempt = { at: clock.now(), durationMs: 1, result: 'server-error', ...answered } as const;
    errors.recordFailure({ ...attempted, key, attempt, source: 'web' });
  };
  return { errors, values, clock, fail, keyValues };
}

test('failed attempts are counted by webhook and result, with their first and last time and the latest event', async () => {
  const { errors, values, clock, fail } = open();
  const at = clock.wall();
  fail('m1', { status: 503 });
  fail('m2', { code: 'ECONNREFUSED' }, 'another');
  clock.advance(10);
  fail('m3', { status: 503 });
  await values.write();
  const example = { url: 'https://crm.example/hook', result: '503', id: 'm3', source: 'web' };
  expect((await errors.examples.of('crm')).map(({ kind: _, ...rest }) => rest)).toEqual([
    { count: 2, firstAt: at, lastAt: at + 10, example },
    { count: 1, firstAt: at, lastAt: at, example: { ...example, result: 'ECONNREFUSED', id: 'm2' } },
  ]);
  expect(await errors.examples.of('ads')).toEqual([]);
});

test('an endpoint that answers anything has 100 kinds, and one for the rest', async () => {
  const { errors, values, fail } = open();
  for (let status = 400; status < 600; status++) fail('m1', { status });
  await values.write();
  const found = await errors.examples.of('crm');
  expect(found).toHaveLength(101);
  expect(found.find(({ example }) => example.result === '(other)')?.count).toBe(100);
});

test('a webhook with a long URL has a short key', async () => {
  const { values, fail, keyValues } = open();
  fail('m1', { status: 503 }, `https://crm.example/?q=${'%2B'.repeat(3_000)}`);
  await values.write();
  const [entry] = await keyValues.list('delivery-errors/', undefined, 10);
  expect(entry?.key.length).toBeLessThan(100);
});
