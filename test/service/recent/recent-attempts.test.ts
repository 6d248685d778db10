import { expect, onTestFinished, test } from 'vitest';
import { Exchange } from '../../../src/destination/exchange.js';
import { keepBounds } from '../../../src/service/recent/bounds.js';
import { chunksOf } from '../../../src/service/recent/chunks.js';
import { RecentAttempts } from '../../../src/service/recent/recent-attempts.js';
import { attempts } from '../../../src/service/recent/search.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { FakeClock } from '../../support/fake-clock.js';

type Keep = Parameters<typeof keepBounds>[0];

function open(keep: Keep, { keyValues } = memoryStorage(), clock = new FakeClock()) {
  const errors: unknown[] = [];
  const state = { keep, isFull: false };
  const recent = new RecentAttempts({
    keyValues,
    clock,
    boundsOf: () => keepBounds(state.keep),
    assertRoom: () => {
      if (state.isFull) throw new Error('full');
    },
    onError: (error) => errors.push(error),
  });
  onTestFinished(() => recent.close());
  const recorder = recent.recorder('crm');
  const add = (id: string, bytes = 20): void => {
    const body = Buffer.from(JSON.stringify({ messageId: id, filler: 'x'.repeat(bytes) }));
    const attempt = { at: clock.now(), durationMs: 1, result: 'success', status: 200 } as const;
    const name = { endpoint: 'https://crm.example/hook' };
    recorder.record({ id, key: name.endpoint, name, attempt, entry: undefined, exchange: new Exchange(body, {}, []) });
  };
  const kept = async (): Promise<string[]> => {
    const ids: string[] = [];
    for await (const { attempt } of attempts(keyValues, ['crm'])) ids.push(attempt.id);
    return ids;
  };
  return { recent, recorder, keyValues, clock, add, kept, errors, state };
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => `m${from + index}`);

test('the newest attempts are kept, newest first, and no more than so many', async () => {
  const { recent, add, kept, clock } = open({ deliveries: 100 });
  for (const id of range(1, 60)) add(id);
  await recent.flush();
  await clock.pass(1_000);
  for (const id of range(61, 400)) add(id);
  await recent.flush();
  expect(await kept()).toEqual(range(301, 400).toReversed());
});

test('attempts are kept within so many bytes', async () => {
  const { recent, add, keyValues } = open({ bytes: 300_000 });
  for (const id of range(1, 100)) add(id, 10_000);
  await recent.flush();
  const chunks = await chunksOf(keyValues, 'crm');
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.bytes, 0);
  expect(bytes).toBeLessThanOrEqual(300_000);
  expect(bytes).toBeGreaterThan(100_000);
});

test('attempts that are too old go, with the next that are written or at the sweep', async () => {
  const { recent, add, kept, clock } = open({ age: 3_600_000 });
  add('old');
  await recent.flush();
  await clock.pass(3_500_000);
  add('new');
  await recent.flush();
  await clock.pass(200_000);
  await recent.sweep();
  expect(await kept()).toEqual(['new']);
});

test('a sweep removes everything of a destination that keeps nothing any more', async () => {
  const { recent, recorder, add, state, keyValues } = open({});
  add('m1');
  await recent.flush();
  state.keep = 0;
  await recent.sweep();
  expect(recorder.wantsExchange()).toBe(false);
  expect(await keyValues.list('recent/', undefined, 10)).toEqual([]);
  expect(await keyValues.list('recent-index/', undefined, 10)).toEqual([]);
});

test('attempts are written within a second, without anybody asking', async () => {
  const { add, kept, clock } = open({});
  add('m1');
  await clock.pass(1_000);
  expect(await kept()).toEqual(['m1']);
});

test('of several processes the newest attempts are kept, whoever made them', async () => {
  const [storage, clock] = [memoryStorage(), new FakeClock()];
  const one = open({ deliveries: 100 }, storage, clock);
  const other = open({ deliveries: 100 }, storage, clock);
  for (const id of range(1, 100)) one.add(id);
  await one.recent.flush();
  await clock.pass(2_000);
  for (const id of range(101, 180)) other.add(id);
  await other.recent.flush();
  expect((await one.kept()).slice(0, 80)).toEqual(range(101, 180).toReversed());
  expect((await one.kept()).length).toBeLessThanOrEqual(100);
});

test('what cannot be written is let go of, and said', async () => {
  const { recent, add, kept, errors, state } = open({});
  state.isFull = true;
  add('m1');
  await recent.flush();
  state.isFull = false;
  add('m2');
  await recent.flush();
  expect(await kept()).toEqual(['m2']);
  expect(errors).toEqual([new Error('full')]);
});
