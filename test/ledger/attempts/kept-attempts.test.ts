import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { MAX_AGE_MS } from '../../../src/ledger/attempts/kept-attempts.js';
import { attempts, latest } from '../../../src/ledger/attempts/search.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { FakeClock } from '../../support/fake-clock.js';
import { bytesIn, chunksIn, counted, openAttempts, range } from './support.js';

const failed = { isRetried: true };

test('attempts are kept newest first', async () => {
  const { recent, add, kept, clock } = openAttempts();
  for (const id of range(1, 60)) add(id);
  await recent.write();
  await clock.pass(1_000);
  for (const id of range(61, 400)) add(id);
  await recent.write();
  expect(await kept()).toEqual(range(1, 400).toReversed());
});

test('only the newest attempts that fit in the maximum size are kept', async () => {
  const { recent, add, kept, clock, keyValues } = openAttempts({ maxBytes: 100_000 });
  for (const id of range(1, 300)) {
    add(id, failed);
    await recent.write();
    await clock.pass(1);
  }
  await recent.close();
  const bytes = await bytesIn(keyValues);
  expect(bytes).toBeLessThanOrEqual(100_000);
  expect(bytes).toBeGreaterThan(80_000);
  const ids = await kept();
  expect(ids).toEqual(range(301 - ids.length, 300).toReversed());
});

test('a noisy destination does not displace the last failures of quiet ones, and may use the space that they leave', async () => {
  const { recent, add, kept, clock, keyValues } = openAttempts({ maxBytes: 100_000 });
  for (const name of range(1, 20)) add('quiet', failed, name);
  for (const id of range(1, 500)) {
    add(id, failed, 'noisy');
    await recent.write();
    await clock.pass(1);
  }
  await recent.close();
  for (const name of range(1, 20)) expect(await kept(name)).toEqual(['quiet']);
  const [all, noisy] = [await bytesIn(keyValues), await bytesIn(keyValues, 'noisy')];
  expect(all).toBeLessThanOrEqual(100_000);
  expect(noisy).toBeGreaterThan(60_000);
});

test('failures are kept in preference to successes, even if these are newer', async () => {
  const { recent, add, kept, clock } = openAttempts({ maxBytes: 200_000 });
  for (const [index, id] of range(1, 300).entries()) {
    add(id, index < 60 ? failed : {});
    await recent.write();
    clock.freeze(600_000);
    await clock.pass(0);
  }
  await recent.close();
  const ids = await kept();
  expect(ids.filter((id) => Number(id.slice(1)) <= 60)).toHaveLength(60);
  expect(ids[0]).toBe('m300');
  expect(ids.length).toBeLessThan(250);
});

test('if there are many successes, the newest of each destination are kept, and every failure', async () => {
  const { recent, add, kept, clock } = openAttempts({ maxBytes: 10_000_000 });
  for (let second = 0; second < 5; second++) {
    for (const id of range(1, 400)) for (const name of ['crm', 'ads']) add(`${id}-${second}`, {}, name);
    add(`failed-${second}`, failed);
    await clock.pass(1_000);
  }
  await recent.write();
  const ids = async (name: string, second: number) => (await kept(name)).filter((id) => id.endsWith(`-${second}`));
  expect(await ids('crm', 0)).toHaveLength(401);
  expect(await ids('crm', 4)).toContain('failed-4');
  for (const name of ['crm', 'ads']) {
    const third = (await ids(name, 2)).filter((id) => !id.startsWith('failed'));
    expect(third.length).toBeLessThan(100);
    expect(third).toEqual(
      range(401 - third.length, 400)
        .map((id) => `${id}-2`)
        .toReversed(),
    );
  }
});

test('a success after a failure is always kept', async () => {
  const { recent, add, kept, clock } = openAttempts({ maxBytes: 1_000_000 });
  for (let second = 0; second < 5; second++) {
    for (const id of range(1, 100)) add(`${id}-${second}`);
    add(`again-${second}`, { number: 2 });
    await clock.pass(1_000);
  }
  await recent.write();
  const ids = await kept();
  expect(ids.filter((id) => id.startsWith('again'))).toHaveLength(5);
  expect(ids.length).toBeLessThan(400);
});

test('attempts that are too old are removed by the sweep', async () => {
  const { recent, add, kept, clock } = openAttempts({ maxAge: 3_600_000 });
  add('old');
  await recent.write();
  await clock.pass(3_500_000);
  add('new');
  await recent.write();
  await clock.pass(200_000);
  await recent.sweep();
  expect(await kept()).toEqual(['new']);
});

test('a sweep removes everything of a destination whose attempts are no longer kept, and nothing of any other', async () => {
  const { recent, add, kept, configure, keyValues } = openAttempts();
  add('m1');
  add('m2', {}, 'ads');
  await recent.write();
  configure(false);
  await recent.sweep();
  expect(recent.unwritten.wantsExchange('crm')).toBe(false);
  expect([await kept(), await kept('ads')]).toEqual([[], ['m2']]);
  for (const prefix of ['attempts/', 'attempt-index/', 'attempt-times/', 'attempt-ids/'])
    expect(await keyValues.list(prefix, undefined, 10)).toHaveLength(1);
});

test('with `maxBytes: 0` nothing is kept', async () => {
  const { recent, add, kept } = openAttempts({ maxBytes: 0 });
  expect(recent.unwritten.wantsExchange('crm')).toBe(false);
  add('m1');
  await recent.write();
  expect(await kept()).toEqual([]);
});

test.each([
  ['a lower `maxAge`', { maxAge: 1_000 }, []],
  ['`maxBytes: 0`', { maxAge: MAX_AGE_MS, maxBytes: 0 }, []],
  ['the same limits', { maxAge: MAX_AGE_MS }, ['m1']],
])('%s applies to what is kept at the next write, a second later', async (_, limits, left) => {
  const { recent, add, kept, clock } = openAttempts();
  add('m1');
  await clock.pass(2_000);
  expect(await kept()).toEqual(['m1']);
  recent.configure(limits, new Set());
  await clock.pass(1_000);
  await recent.close();
  expect(await kept()).toEqual(left);
});

test('attempts are written within a second of being recorded', async () => {
  const { add, kept, clock } = openAttempts();
  add('m1');
  await clock.pass(1_000);
  expect(await kept()).toEqual(['m1']);
});

test('nothing is read or written after closing', async () => {
  const { keyValues } = memoryStorage();
  const { recent, add } = openAttempts({ keyValues });
  const list = keyValues.list.bind(keyValues);
  let listing = 0;
  keyValues.list = async (...given) => {
    listing++;
    await setImmediate();
    listing--;
    return list(...given);
  };
  add('m1');
  await recent.write();
  await recent.close();
  expect(listing).toBe(0);
});

test('a write has little more than a megabyte and at most as many changes as a store accepts, and a chunk at most 128 KB', async () => {
  const { keyValues } = memoryStorage();
  const { recent, add, kept } = openAttempts({ keyValues });
  const writeIf = keyValues.writeIf.bind(keyValues);
  const chunks: number[] = [];
  keyValues.writeIf = (condition, changes) => {
    expect(changes.length).toBeLessThanOrEqual(1_000);
    chunks.push(changes.filter(({ key }) => key.startsWith('attempts/')).length);
    return writeIf(condition, changes);
  };
  const message = { filler: 'x'.repeat(120_000) };
  for (const name of ['crm', 'crm', ...range(1, 11)]) add('m1', { message }, name);
  await recent.write();
  expect(chunks.splice(0)).toEqual([9, 4]);
  expect(await chunksIn(keyValues, 'crm')).toHaveLength(2);
  for (const name of range(1, 20)) for (const id of range(1, 50)) add(id, failed, name);
  await recent.write();
  expect(chunks).toEqual([18, 2]);
  expect(await kept('m11')).toEqual([...range(1, 50).toReversed(), 'm1']);
});

test('the attempts of several processes together stay within the limits', async () => {
  const [storage, clock] = [memoryStorage(), new FakeClock()];
  const all = [1, 2].map(() => openAttempts({ maxBytes: 100_000, ...storage, clock }));
  for (const id of range(1, 200)) {
    for (const { add, recent } of all) {
      add(id, failed);
      await recent.write();
    }
    await clock.pass(1);
  }
  for (const { recent } of all) await recent.close();
  expect(await bytesIn(storage.keyValues)).toBeLessThanOrEqual(102_000);
});

test('two writes within the same millisecond keep the attempts of both', async () => {
  const { recent, add, kept } = openAttempts();
  add('m1');
  await recent.write();
  add('m2');
  await recent.write();
  expect(await kept()).toEqual(['m2', 'm1']);
});

test('an attempt after a restart is the last one, even if the clock was set back in between', async () => {
  const { recent, keyValues, clock, add } = openAttempts();
  clock.advance(3_600_000);
  add('m1', failed);
  await recent.write();
  const restarted = openAttempts({ keyValues, clock: new FakeClock() });
  restarted.add('m1');
  await restarted.recent.write();
  for (const kind of [undefined, 'failures', 'successes'] as const) {
    const found: number[] = [];
    for await (const { attempt } of latest(keyValues, ['crm'], { filter: { id: 'm1' }, after: undefined, kind }))
      found.push(attempt.attempt.status ?? 0);
    expect(found, kind ?? 'any').toEqual(kind === 'failures' ? [] : [200]);
  }
});

test('attempts that cannot be written are dropped and the error is reported, and later attempts are kept again', async () => {
  const { recent, add, kept, errors, keyValues, clock } = openAttempts();
  const writeIf = keyValues.writeIf.bind(keyValues);
  keyValues.writeIf = async () => Promise.reject(new Error('full'));
  add('m1');
  await recent.write();
  keyValues.writeIf = writeIf;
  await clock.pass(1_000);
  add('m2', failed);
  await recent.write();
  expect(await kept()).toEqual(['m2']);
  expect(errors).toEqual([new Error('full')]);
});

test('while the storage has no room to spare, no attempts are kept, and the oldest are removed although none is new', async () => {
  const { recent, add, kept, errors, state, keyValues, clock } = openAttempts();
  for (const id of range(1, 100)) {
    add(id, failed);
    await clock.pass(1_000);
  }
  const before = await bytesIn(keyValues);
  state.spareBytes = -before / 2;
  add('refused', failed);
  await recent.write();
  await recent.close();
  const left = await kept();
  expect(left).toEqual(range(101 - left.length, 100).toReversed());
  expect(await bytesIn(keyValues)).toBeLessThanOrEqual(before / 2);
  await recent.write();
  await recent.close();
  expect(await bytesIn(keyValues)).toBe(0);
  state.spareBytes = 100;
  add('larger than the room', failed);
  await recent.write();
  expect(await kept()).toEqual([]);
  state.spareBytes = 1_000_000;
  add('small', failed);
  await recent.write();
  expect(await kept()).toEqual(['small']);
  expect(errors).toEqual([]);
});

test('an attempt that is recorded while others are written is found by its time', async () => {
  const clock = new FakeClock();
  const { recent, add, keyValues } = openAttempts({ keyValues: memoryStorage().keyValues, clock });
  const writeIf = keyValues.writeIf.bind(keyValues);
  const message = { filler: 'x'.repeat(1_100_000) };
  let isFirst = true;
  keyValues.writeIf = (condition, changes) => {
    if (isFirst) {
      isFirst = false;
      clock.advance(3_000);
      add('late', failed, 'second');
    }
    return writeIf(condition, changes);
  };
  add('m1', { message }, 'first');
  add('m1', failed, 'second');
  const from = clock.now() + 2_000;
  for (let writes = 0; writes < 2; writes++) await recent.write();
  const found: string[] = [];
  for await (const { attempt } of attempts(keyValues, ['second'], { from })) found.push(attempt.id);
  expect(found).toContain('late');
});

test('a cleanup that fails is reported, and the next one makes up for it', async () => {
  const { recent, add, kept, errors, clock, keyValues } = openAttempts({ maxAge: 3_600_000 });
  add('m1');
  await recent.write();
  await recent.close();
  await clock.pass(3_700_000);
  const list = keyValues.list.bind(keyValues);
  keyValues.list = async () => Promise.reject(new Error('away'));
  await recent.sweep();
  expect(errors).toEqual([new Error('away')]);
  keyValues.list = list;
  await recent.sweep();
  expect(await kept()).toEqual([]);
});

test('a cleanup follows the first write, and then only every fiftieth part of the maximum size', async () => {
  const { recent, add, keyValues } = openAttempts({ maxBytes: 1_000_000 });
  const list = keyValues.list.bind(keyValues);
  let cleanups = 0;
  keyValues.list = (prefix, after, limit) => {
    // The first write reads the newest entry, too.
    if (prefix === 'attempt-times/' && limit > 1) cleanups++;
    return list(prefix, after, limit);
  };
  const write = async (bytes: number): Promise<number> => {
    add('m1', { ...failed, message: { filler: randomBytes(bytes).toString('hex') } });
    await recent.write();
    await recent.close();
    return cleanups;
  };
  expect([await write(1), await write(1), await write(1)]).toEqual([1, 1, 1]);
  expect([await write(20_000), await write(1)]).toEqual([2, 2]);
});

test('a chunk all of whose attempts were deleted before they were written is not written', async () => {
  const { recent, add, keyValues } = openAttempts();
  add('m1', { message: { userId: 'ann' } });
  await recent.erase(['ann'], { deletion: 1, signal: new AbortController().signal, counted, onErased: () => {} });
  await recent.write();
  expect(await chunksIn(keyValues)).toEqual([]);
});

test('each chunk of long attempts is filled, not only the first', async () => {
  const { recent, add, keyValues } = openAttempts();
  for (const id of range(1, 6)) add(id, { message: { filler: 'x'.repeat(50_000) } });
  await recent.write();
  expect((await chunksIn(keyValues, 'crm')).map(({ attempts: count }) => count)).toEqual([2, 2, 2]);
});
