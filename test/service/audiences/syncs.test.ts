import { expect, test } from 'vitest';
import { LEASE_MS } from '../../../src/service/jobs/held-record.js';
import type { Change, KeyValueStore } from '../../../src/store/key-value-store.js';
import { numbered } from './numbered.js';
import { asleep, heldList, membersOf, settled, setUp, stagedOn } from './support.js';

const NAME = 'High Value Users';
const TRAIT = 'high_value_users';

/** Returns a store whose conditional writes go through the given function. */
const over = (
  keyValues: KeyValueStore,
  writeIf: (changes: readonly Change[], write: () => Promise<boolean>) => Promise<boolean>,
): KeyValueStore => ({
  get: (keys) => keyValues.get(keys),
  list: (...given) => keyValues.list(...given),
  write: (changes) => keyValues.write(changes),
  removeAll: (prefix) => keyValues.removeAll(prefix),
  writeIf: (expected, changes) => writeIf(changes, () => keyValues.writeIf(expected, changes)),
});

test('a second change of the same audience is refused in every process, and other audiences can be changed', async () => {
  const { audiences, keyValues, clock } = setUp();
  const other = setUp({ keyValues, clock }).audiences;
  const { list, end } = heldList();
  const replaced = audiences.replace(NAME, list);
  await settled();
  for (const refusing of [audiences, other]) {
    await expect(refusing.replace(NAME, [])).rejects.toMatchObject({ code: 'EVENTFERRY_AUDIENCE_BUSY' });
    await expect(refusing.replace('Others', [])).resolves.toMatchObject({ members: 0 });
  }
  end();
  await expect(replaced).resolves.toMatchObject({ members: 0 });
  await expect(other.change(NAME, { join: ['ann'] })).resolves.toMatchObject({ members: 1 });
});

test('if two changes begin at the same time, only one is accepted', async () => {
  const { audiences, keyValues, clock } = setUp();
  const other = setUp({ keyValues, clock }).audiences;
  const results = await Promise.allSettled([audiences.replace(NAME, ['a']), other.replace(NAME, ['b'])]);
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
});

test('a live process keeps its change, however long the change takes', async () => {
  const { audiences, keyValues, clock } = setUp();
  const other = setUp({ keyValues, clock }).audiences;
  const { list, give, end } = heldList();
  const replaced = audiences.replace(NAME, list);
  for (let minute = 0; minute < 3; minute++) {
    await give(['ann']);
    for (let second = 0; second < 60; second += 5) {
      clock.advance(5_000);
      await settled();
    }
    await expect(other.replace(NAME, [])).rejects.toMatchObject({ code: 'EVENTFERRY_AUDIENCE_BUSY' });
    await other.resume();
  }
  end();
  await expect(replaced).resolves.toMatchObject({ members: 1 });
});

test('a process that slept past its lease writes nothing after another has taken its change over', async () => {
  const { audiences, taken, keyValues, clock } = setUp();
  await audiences.replace(NAME, ['ann']);
  taken.take();
  // No timer fires while the process sleeps.
  const sleeper = setUp({ keyValues, clock: asleep(clock) });
  const { list, give, end } = heldList();
  const replaced = sleeper.audiences.replace(NAME, list);
  await give(['bob']);
  clock.advance(LEASE_MS);
  await audiences.resume();
  await expect(audiences.replace(NAME, ['ann', 'cid'])).resolves.toMatchObject({ joined: 1 });
  end();
  await expect(replaced).rejects.toMatchObject({ code: 'EVENTFERRY_AUDIENCE_BUSY' });
  expect(sleeper.taken.take()).toEqual([]);
  expect(await membersOf(keyValues, TRAIT)).toEqual(['ann', 'cid']);
  await audiences.resume();
  expect(await stagedOn(keyValues)).toEqual([]);
});

test('a change whose messages are not accepted fails, and continues without another call', async () => {
  const { keyValues, clock } = setUp();
  let isFull = true;
  const { audiences, taken } = setUp({
    keyValues,
    clock,
    accept: async (...given) => {
      if (isFull) throw new Error('the disk is full');
      await taken.accept(...given);
    },
  });
  const refused = audiences.replace(NAME, numbered(700));
  await expect(refused).rejects.toMatchObject({
    code: 'EVENTFERRY_AUDIENCE_UNFINISHED',
    cause: { message: 'the disk is full' },
  });
  expect(await audiences.get(NAME)).toMatchObject({ members: 0, sync: { phase: 'applying', received: 700 } });
  await expect(audiences.replace(NAME, [])).rejects.toMatchObject({ code: 'EVENTFERRY_AUDIENCE_BUSY' });
  isFull = false;
  clock.advance(5_000);
  for (let turn = 0; turn < 20; turn++) await settled();
  expect(await audiences.get(NAME)).toMatchObject({ members: 700 });
  expect(taken.take()).toHaveLength(700);
  expect(await stagedOn(keyValues)).toEqual([]);
});

test('a change whose members cannot be written makes messages for the users of one step', async () => {
  const { keyValues, clock } = setUp();
  const { audiences, taken } = setUp({
    clock,
    keyValues: over(keyValues, (changes, write) => {
      if (changes.length > 1) throw new Error('the disk is full');
      return write();
    }),
  });
  await expect(audiences.replace(NAME, numbered(5_000))).rejects.toMatchObject({
    code: 'EVENTFERRY_AUDIENCE_UNFINISHED',
    cause: { message: 'the disk is full' },
  });
  expect(taken.take()).toHaveLength(500);
});

test('closing gives up a list that is being received', async () => {
  const { audiences, keyValues } = setUp();
  const { list, give } = heldList();
  const replaced = audiences.replace(NAME, list);
  await give(numbered(1_500));
  await audiences.close();
  const refused = expect(replaced).rejects.toMatchObject({ code: 'EVENTFERRY_AUDIENCES_CLOSED' });
  await give(numbered(1_500));
  await refused;
  expect(await keyValues.list('audience/', undefined, 10)).toEqual([]);
  await expect(audiences.replace(NAME, [])).rejects.toMatchObject({ code: 'EVENTFERRY_AUDIENCES_CLOSED' });
});

test('a change whose list becomes complete during closing is left to another process', async () => {
  const { keyValues, clock, audiences: other, taken } = setUp();
  const { audiences } = setUp({
    clock,
    keyValues: over(keyValues, (changes, write) => {
      if (changes[0]?.value?.includes('applying')) void audiences.close();
      return write();
    }),
  });
  await expect(audiences.replace(NAME, numbered(3))).rejects.toMatchObject({
    code: 'EVENTFERRY_AUDIENCE_UNFINISHED',
  });
  await other.resume();
  expect(taken.take()).toHaveLength(3);
});

test('a change whose last users are being written during closing is given up', async () => {
  const { keyValues, clock, audiences: other } = setUp();
  let closed: Promise<void> | undefined;
  const { audiences } = setUp({
    clock,
    keyValues: {
      ...over(keyValues, (_, write) => write()),
      write: async (changes) => {
        await settled();
        closed ??= audiences.close();
        await keyValues.write(changes);
      },
    },
  });
  await expect(audiences.replace(NAME, numbered(3))).rejects.toMatchObject({ code: 'EVENTFERRY_AUDIENCES_CLOSED' });
  await closed;
  await other.resume();
  expect(await other.list()).toEqual([]);
  expect(await stagedOn(keyValues)).toEqual([]);
});

test('closing stops a change between two steps, and another process continues it at once', async () => {
  const { keyValues, clock, audiences: other, taken: late } = setUp();
  const { audiences, taken } = setUp({
    keyValues,
    clock,
    accept: async (...given) => {
      await taken.accept(...given);
      void audiences.close();
    },
  });
  await expect(audiences.replace(NAME, numbered(1_800))).rejects.toMatchObject({
    code: 'EVENTFERRY_AUDIENCE_UNFINISHED',
  });
  expect(taken.take()).toHaveLength(500);
  await other.resume();
  expect(late.take()).toHaveLength(1_300);
  expect(await other.get(NAME)).toMatchObject({ members: 1_800 });
});

test("a list is kept and applied later if the store's response is lost when the list becomes complete", async () => {
  const { keyValues, clock } = setUp();
  let isLost = false;
  const { audiences, taken } = setUp({
    clock,
    keyValues: over(keyValues, async (changes, write) => {
      const written = await write();
      if (isLost || !changes[0]?.value?.includes('applying')) return written;
      isLost = true;
      throw new Error('no answer');
    }),
  });
  await expect(audiences.replace(NAME, numbered(3))).rejects.toThrow('no answer');
  clock.advance(LEASE_MS);
  for (let turn = 0; turn < 20; turn++) await settled();
  expect(await audiences.get(NAME)).toMatchObject({ members: 3 });
  expect(taken.take()).toEqual(numbered(3).map((user) => `+${user}`));
});

test('an audience stays removed even if a slow store causes the lease to be renewed during the removal', async () => {
  const { keyValues, clock } = setUp();
  const { audiences } = setUp({
    clock,
    keyValues: over(keyValues, (changes, write) => {
      if (changes[0]?.value === undefined) clock.advance(10_000);
      return write();
    }),
  });
  await audiences.replace(NAME, ['ann']);
  await audiences.remove(NAME);
  await settled();
  expect(await keyValues.list('audience/', undefined, 10)).toEqual([]);
});
