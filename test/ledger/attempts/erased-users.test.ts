import { expect, test, vi } from 'vitest';
import { userKey } from '../../../src/delivery/event-names.js';
import { ErasedUsers, usersOf } from '../../../src/ledger/attempts/erased-users.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { settled } from '../../support/fake-clock.js';

const DAY = 24 * 60 * 60_000;

function open() {
  const { keyValues } = memoryStorage();
  const time = { now: 1_000 * DAY };
  const erasedUsers = new ErasedUsers(keyValues, { now: () => time.now }, true);
  const marks = async (): Promise<number> => (await keyValues.list('recent-erased/', undefined, 10_000)).length;
  const covers = async (epoch: number | undefined, ...users: string[]): Promise<boolean> =>
    (await erasedUsers.among([{ epoch, source: undefined, users: () => users }])).covered.size === 1;
  return { erasedUsers, keyValues, time, marks, covers };
}

test.each([
  ['a track', { type: 'track', userId: 'u', anonymousId: 'a' }, ['u', 'a']],
  ['an alias', { type: 'alias', userId: 'u', previousId: 'p' }, ['u', 'p']],
  ['a message without ids', { type: 'track' }, []],
  ['a deletion notification', { type: 'delete', userId: 'u' }, []],
  ['ids that are not text', { type: 'track', userId: 7, anonymousId: null }, []],
  ['a value that is not an object', 'u', []],
])('the users of %s are found', (_, message, expected) => {
  expect(usersOf(message)).toEqual(expected);
});

test('a deletion covers events that were accepted before it, and no later ones', async () => {
  const { erasedUsers, covers } = open();
  await erasedUsers.mark(['eve'], await erasedUsers.count());
  const before = await erasedUsers.epoch();
  await erasedUsers.mark(['ann'], await erasedUsers.count());
  expect(await covers(before, 'bob', 'ann')).toBe(true);
  expect(await covers(undefined, 'ann')).toBe(true);
  expect(await covers(await erasedUsers.epoch(), 'ann')).toBe(false);
  expect(await covers(before, 'bob')).toBe(false);
  expect(await covers(before, 'eve')).toBe(false);
  expect(await covers(before)).toBe(false);
});

test('if a user is deleted twice, all events before the later deletion are covered', async () => {
  const { erasedUsers, covers } = open();
  await erasedUsers.mark(['ann'], await erasedUsers.count());
  const between = await erasedUsers.epoch();
  await erasedUsers.mark(['ann'], await erasedUsers.count());
  expect(await covers(between, 'ann')).toBe(true);
});

test('a deletion that is marked again covers only what was accepted before it was counted', async () => {
  const { erasedUsers, covers } = open();
  const before = await erasedUsers.epoch();
  const first = await erasedUsers.count();
  const between = await erasedUsers.epoch();
  await erasedUsers.mark(['ann'], first);
  await erasedUsers.mark(['ann'], first);
  expect([await covers(before, 'ann'), await covers(between, 'ann')]).toEqual([true, false]);
  const later = await erasedUsers.count();
  await erasedUsers.mark(['ann'], later);
  await erasedUsers.mark(['ann'], first);
  expect([await covers(between, 'ann'), await covers(later, 'ann')]).toEqual([true, false]);
});

test('simultaneous deletions of several processes are all counted and marked', async () => {
  const { erasedUsers, keyValues, covers } = open();
  const others = new ErasedUsers(keyValues, { now: () => 0 }, true);
  const before = await erasedUsers.epoch();
  const deletion = async (of: ErasedUsers, user: string) => of.mark([user], await of.count());
  await Promise.all([deletion(erasedUsers, 'ann'), deletion(others, 'bob'), deletion(erasedUsers, 'eve')]);
  expect(await others.epoch()).toBe(before + 6);
  for (const user of ['ann', 'bob', 'eve']) expect(await covers(before, user)).toBe(true);
});

test('a store that belongs to one process is read once for all its services', async () => {
  const { keyValues } = memoryStorage();
  await new ErasedUsers(keyValues, { now: () => 0 }, true).count();
  const get = vi.spyOn(keyValues, 'get');
  const [one, other] = [1, 2].map(() => new ErasedUsers(keyValues, { now: () => 0 }, false));
  expect([await one?.epoch(), await other?.epoch()]).toEqual([1, 1]);
  expect(get).toHaveBeenCalledTimes(0);
  await other?.mark(['ann'], (await other.count()) ?? 0);
  get.mockClear();
  expect([await one?.epoch(), one?.latest]).toEqual([3, 3]);
  expect(get).toHaveBeenCalledTimes(0);
});

test('messages are not examined if no user was deleted since they were accepted', async () => {
  const { erasedUsers } = open();
  const users = (): string[] => {
    throw new Error('looked');
  };
  expect((await erasedUsers.among([{ epoch: undefined, source: undefined, users }])).covered.size).toBe(0);
  await erasedUsers.mark(['ann'], await erasedUsers.count());
  expect((await erasedUsers.among([{ epoch: 2, source: undefined, users }])).covered.size).toBe(0);
});

test('a conditional write that was prepared before a deletion fails after it', async () => {
  const { erasedUsers, keyValues } = open();
  for (const user of ['ann', 'bob']) {
    const { epoch } = await erasedUsers.among([]);
    expect(await keyValues.writeIf(epoch, [])).toBe(true);
    await erasedUsers.mark([user], await erasedUsers.count());
    expect(await keyValues.writeIf(epoch, [])).toBe(false);
  }
});

test('marks are removed after 31 days, and the number of deletions is kept', async () => {
  const { erasedUsers, time, marks } = open();
  const many = Array.from({ length: 1_200 }, (_, index) => `u${index}`);
  await erasedUsers.mark(many, await erasedUsers.count());
  time.now += 30 * DAY;
  await erasedUsers.mark(['ann'], await erasedUsers.count());
  await erasedUsers.sweep();
  expect(await marks()).toBe(2_402);
  time.now += 2 * DAY;
  await erasedUsers.sweep();
  expect(await marks()).toBe(2);
  time.now += 30 * DAY;
  await erasedUsers.sweep();
  expect(await marks()).toBe(0);
  // Waiting deliveries and dead letters may be older than the marks.
  expect(await erasedUsers.epoch()).toBe(6);
});

test("the last deletion of a user is found by the user's name", async () => {
  const { erasedUsers } = open();
  expect(await erasedUsers.epoch()).toBe(0);
  await erasedUsers.mark(['ann'], await erasedUsers.count());
  await erasedUsers.mark(['bob'], await erasedUsers.count());
  expect(await erasedUsers.epoch()).toBe(4);
  const deletedIn = (message: Record<string, unknown>) => erasedUsers.deletedIn(String(userKey(message)), 'website');
  expect(await deletedIn({ userId: 'ann' })).toBe(1);
  expect(await deletedIn({ anonymousId: 'bob' })).toBe(3);
  expect(await deletedIn({ userId: 'eve' })).toBeUndefined();
});

test('a user who is deleted for some sources is covered only for these, and for all by a deletion without sources', async () => {
  const { erasedUsers } = open();
  const covers = async (source: string | undefined, epoch = 0): Promise<boolean> =>
    (await erasedUsers.among([{ epoch, source, users: () => ['ann'] }])).covered.size === 1;
  const user = String(userKey({ userId: 'ann' }));
  const deletedIn = (source: string) => erasedUsers.deletedIn(user, source);
  const first = await erasedUsers.count();
  await erasedUsers.mark(['ann'], first, ['one', 'two']);
  const later = await erasedUsers.count();
  await erasedUsers.mark(['ann'], later, ['two', 'three']);
  await erasedUsers.mark(['ann'], first, ['one', 'two']);
  expect([await covers('one'), await covers('three'), await covers('four'), await covers(undefined)]).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect([await deletedIn('one'), await deletedIn('two'), await deletedIn('four')]).toEqual([first, later, undefined]);
  expect([await covers('one', first), await covers('two', first)]).toEqual([false, true]);
  const last = await erasedUsers.count();
  await erasedUsers.mark(['ann'], last);
  await erasedUsers.mark(['ann'], later, ['two', 'three']);
  expect([await deletedIn('one'), await deletedIn('two'), await deletedIn('four')]).toEqual([last, last, last]);
  expect(await covers(undefined)).toBe(true);
});

test('the marks of a user are removed when the last of them is a month old', async () => {
  const { erasedUsers, time, marks } = open();
  await erasedUsers.mark(['ann'], await erasedUsers.count(), ['one']);
  time.now += 20 * DAY;
  await erasedUsers.mark(['ann'], await erasedUsers.count(), ['two']);
  time.now += 20 * DAY;
  await erasedUsers.sweep();
  expect(await marks()).toBe(2);
  time.now += 20 * DAY;
  await erasedUsers.sweep();
  expect(await marks()).toBe(0);
});

test('a process that opens a store after a restart knows how many deletions there were before', async () => {
  const { erasedUsers, keyValues } = open();
  await erasedUsers.count();
  const stored = await keyValues.list('recent-erasure/', undefined, 10);
  const { keyValues: reopened } = memoryStorage();
  await reopened.write(stored);
  expect(await new ErasedUsers(reopened, { now: () => 0 }, false).epoch()).toBe(1);
});

test('a read that is answered late does not lower the number of deletions that the process has seen', async () => {
  const { erasedUsers, keyValues } = open();
  const get = keyValues.get.bind(keyValues);
  let answer = (): void => {};
  keyValues.get = async (keys) => {
    const values = await get(keys);
    await new Promise<void>((resolve) => {
      answer = resolve;
    });
    return values;
  };
  const late = erasedUsers.epoch();
  await settled();
  keyValues.get = get;
  await erasedUsers.count();
  answer();
  await late;
  expect(erasedUsers.latest).toBe(1);
});

test('an earlier deletion for all sources that is marked last leaves a later one for some sources in force', async () => {
  const { erasedUsers } = open();
  const user = String(userKey({ userId: 'ann' }));
  const [first, later] = [await erasedUsers.count(), await erasedUsers.count()];
  await erasedUsers.mark(['ann'], later, ['one']);
  await erasedUsers.mark(['ann'], first);
  expect([await erasedUsers.deletedIn(user, 'one'), await erasedUsers.deletedIn(user, 'two')]).toEqual([later, first]);
});

test('the record of a user who is deleted again and again does not grow, in whatever order the deletions are marked', async () => {
  const { erasedUsers, keyValues } = open();
  const size = async (): Promise<number[]> =>
    (await keyValues.list('recent-erased/', undefined, 10)).map(({ value }) => JSON.parse(value).length);
  const deletions: number[] = [];
  for (let count = 0; count < 9; count++) deletions.push(await erasedUsers.count());
  for (const deletion of [...deletions, ...deletions.toReversed()]) await erasedUsers.mark(['ann'], deletion);
  expect(await size()).toEqual([1, 1]);
});
