import { expect, test } from 'vitest';
import type { PlanViolation } from '../../src/plan/violation.js';
import { memoryStorage } from '../../src/store/memory/memory-storage.js';
import { heldWrites } from '../service/held-writes.js';
import { FakeClock, settled } from '../support/fake-clock.js';
import { exchangedOf } from './attempts/support.js';
import { openLedger } from './support.js';

const DAY_MS = 24 * 60 * 60_000;

test('everything that was recorded is written within a second, and once more at the close', async () => {
  const { ledger, keyValues, clock } = openLedger();
  const record = (id: string): void => {
    for (const recorder of ledger.recorders) {
      const attempted = exchangedOf(id, { at: clock.now(), isRetried: true });
      recorder.record?.(attempted);
      recorder.recordFailure?.(attempted);
    }
    ledger.counts.received('web', 'track', id, false);
    ledger.rejections.add('web', [{ index: 0, messageId: undefined, code: id, message: '', raw: '' }], {
      userAgent: '',
    });
  };
  const written = async (): Promise<number[]> => {
    const prefixes = ['attempts/', 'counts/destination/', 'counts/events/', 'delivery-errors/', 'rejections/'];
    return Promise.all(prefixes.map(async (prefix) => (await keyValues.list(prefix, undefined, 100)).length));
  };
  record('m1');
  await clock.pass(1_000);
  expect(await written()).toEqual([1, 3, 1, 1, 1]);
  record('m2');
  await ledger.close();
  expect(await written()).toEqual([2, 3, 1, 1, 2]);
  expect(clock.due).toEqual([]);
});

test('a flush that begins during a write also writes what was recorded during that write', async () => {
  const { keyValues } = memoryStorage();
  const { slow, held } = heldWrites(keyValues);
  const { ledger } = openLedger({ keyValues: slow });
  ledger.counts.received('web', 'track', 'first', false);
  void ledger.flush();
  await settled();
  ledger.counts.received('web', 'track', 'second', false);
  const flushed = ledger.flush();
  held.resolve();
  await flushed;
  const [entry] = await keyValues.list('counts/events/', undefined, 10);
  expect(entry?.value).toContain('second');
});

test('a store that fails for one part is reported, and the others are written', async () => {
  const { keyValues } = memoryStorage();
  const errors: unknown[] = [];
  const { ledger, clock } = openLedger({ keyValues, onError: (error) => errors.push(error) });
  keyValues.writeIf = async () => Promise.reject(new Error('away'));
  ledger.attempts.unwritten.record(exchangedOf('m1', { at: clock.now() }));
  ledger.counts.received('web', 'track', 'first', false);
  await ledger.flush();
  expect(errors).toEqual([new Error('away')]);
  expect(await keyValues.list('counts/events/', undefined, 10)).toHaveLength(1);
});

test('while the storage has no room to spare, nothing is written, and the counts and examples of that time are written later', async () => {
  let spare = 0;
  const { ledger, keyValues, clock } = openLedger({ spareBytes: () => spare });
  ledger.counts.received('web', 'track', 'first', false);
  const raw = { index: 0, messageId: undefined, code: 'c', message: '', raw: '' };
  ledger.rejections.add('web', [raw], { userAgent: '' });
  ledger.attempts.unwritten.record(exchangedOf('m1', { at: clock.now() }));
  await ledger.flush();
  const written = async (): Promise<number[]> => {
    const prefixes = ['attempts/', 'counts/events/', 'rejections/'];
    return Promise.all(prefixes.map(async (prefix) => (await keyValues.list(prefix, undefined, 100)).length));
  };
  expect(await written()).toEqual([0, 0, 0]);
  spare = 1_000_000;
  await ledger.flush();
  expect(await written()).toEqual([0, 1, 1]);
});

test('the sweep removes what is too old from every part', async () => {
  const { ledger, keyValues, clock } = openLedger({ clock: new FakeClock() });
  for (const recorder of ledger.recorders) {
    const attempted = exchangedOf('m1', { at: clock.now(), isRetried: true });
    recorder.record?.(attempted);
    recorder.recordFailure?.(attempted);
  }
  ledger.counts.received('web', 'track', 'E', false);
  ledger.rejections.add('web', [{ index: 0, messageId: undefined, code: 'c', message: '', raw: '' }], {
    userAgent: '',
  });
  const violation: PlanViolation = {
    type: 'track',
    event: 'E',
    path: '',
    reason: 'type',
    explain: () => ({ expected: '', received: '' }),
  };
  ledger.violations.add('web', violation, {}, 'reported');
  await ledger.flush();
  // The sweep would not begin another cleanup while one is still running.
  await settled();
  clock.advance(32 * DAY_MS);
  await ledger.sweep();
  for (const prefix of [
    'attempts/',
    'attempt-times/',
    'attempt-ids/',
    'counts/',
    'delivery-errors/',
    'rejections/',
    'violations/',
  ])
    expect([prefix, await keyValues.list(prefix, undefined, 10)]).toEqual([prefix, []]);
});

test('a store that fails for the counts is reported, and the attempts are written and the flush succeeds', async () => {
  const { keyValues } = memoryStorage();
  const errors: unknown[] = [];
  const { ledger, clock } = openLedger({ keyValues, onError: (error) => errors.push(error) });
  const write = keyValues.write.bind(keyValues);
  keyValues.writeIf = async (_, changes) => {
    await write(changes);
    return true;
  };
  keyValues.write = async () => Promise.reject(new Error('away'));
  ledger.attempts.unwritten.record(exchangedOf('m1', { at: clock.now() }));
  ledger.counts.received('web', 'track', 'first', false);
  await ledger.flush();
  expect(errors).toEqual([new Error('away')]);
  expect(await keyValues.list('attempts/', undefined, 10)).toHaveLength(1);
});

test('a closed ledger reads nothing from the store', async () => {
  const { keyValues } = memoryStorage();
  const { ledger, clock } = openLedger({ keyValues });
  const list = keyValues.list.bind(keyValues);
  let reading = 0;
  keyValues.list = async (...given) => {
    reading++;
    await new Promise((resolve) => setImmediate(resolve));
    reading--;
    return list(...given);
  };
  ledger.attempts.unwritten.record(exchangedOf('m1', { at: clock.now() }));
  await ledger.close();
  expect(reading).toBe(0);
});
