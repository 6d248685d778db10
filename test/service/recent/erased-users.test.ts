import { expect, test } from 'vitest';
import { userKey } from '../../../src/delivery/user-key.js';
import { ErasedUsers, usersOf } from '../../../src/service/recent/erased-users.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';

const DAY = 24 * 60 * 60_000;

function open() {
  const { keyValues } = memoryStorage();
  const time = { now: 1_000 * DAY };
  const erasedUsers = new ErasedUsers(keyValues, { now: () => time.now });
  const marks = async (): Promise<number> => (await keyValues.list('recent-erased/', undefined, 10_000)).length;
  const covers = async (acceptedAt: number | undefined, ...users: string[]): Promise<boolean> =>
    (await erasedUsers.among([{ acceptedAt, users: () => users }])).covered.size === 1;
  return { erasedUsers, keyValues, time, marks, covers };
}

test.each([
  ['a track', { type: 'track', userId: 'u', anonymousId: 'a' }, ['u', 'a']],
  ['an alias', { type: 'alias', userId: 'u', previousId: 'p' }, ['u', 'p']],
  ['a message without ids', { type: 'track' }, []],
  ['a deletion notification', { type: 'delete', userId: 'u' }, []],
  ['ids that are not text', { type: 'track', userId: 7, anonymousId: null }, []],
  ['no object', 'u', []],
])('the users of %s', (_, message, expected) => {
  expect(usersOf(message)).toEqual(expected);
});

test('an event that was accepted before its user was deleted is covered, a later one is not', async () => {
  const { erasedUsers, time, covers } = open();
  await erasedUsers.mark(['ann']);
  expect(await covers(time.now, 'bob', 'ann')).toBe(true);
  expect(await covers(undefined, 'ann')).toBe(true);
  expect(await covers(time.now + 1, 'ann')).toBe(false);
  expect(await covers(time.now, 'bob')).toBe(false);
  expect(await covers(time.now)).toBe(false);
});

test('a user who is deleted again is covered up to the later deletion', async () => {
  const { erasedUsers, time, covers } = open();
  await erasedUsers.mark(['ann']);
  time.now += DAY;
  await erasedUsers.mark(['ann']);
  expect(await covers(time.now, 'ann')).toBe(true);
});

test('messages are not looked into before the first deletion', async () => {
  const { erasedUsers } = open();
  const users = (): string[] => {
    throw new Error('looked');
  };
  expect((await erasedUsers.among([{ acceptedAt: 1, users }])).covered.size).toBe(0);
});

test('a write that looked before a deletion fails after it', async () => {
  const { erasedUsers, keyValues } = open();
  for (const user of ['ann', 'bob']) {
    const { latest } = await erasedUsers.among([]);
    expect(await keyValues.writeIf(latest, [])).toBe(true);
    await erasedUsers.mark([user]);
    expect(await keyValues.writeIf(latest, [])).toBe(false);
  }
});

test('marks are removed after 31 days, and with the last one the need to look', async () => {
  const { erasedUsers, keyValues, time, marks } = open();
  const many = Array.from({ length: 1_200 }, (_, index) => `u${index}`);
  await erasedUsers.mark(many);
  time.now += 30 * DAY;
  await erasedUsers.mark(['ann']);
  await erasedUsers.sweep();
  expect(await marks()).toBe(2_402);
  time.now += 2 * DAY;
  await erasedUsers.sweep();
  expect(await marks()).toBe(2);
  time.now += 30 * DAY;
  await erasedUsers.sweep();
  expect(await marks()).toBe(0);
  expect(await keyValues.list('recent-erasure/', undefined, 1)).toEqual([]);
});

test('whoever asks learns when the last user was deleted, and when one was by the name of the user', async () => {
  const { erasedUsers, time } = open();
  expect(await erasedUsers.latest()).toBeUndefined();
  await erasedUsers.mark(['ann']);
  time.now += 5;
  await erasedUsers.mark(['bob']);
  expect(await erasedUsers.latest()).toBe(time.now);
  const deletedAt = (message: Record<string, unknown>) => erasedUsers.deletedAt(String(userKey(message)));
  expect(await deletedAt({ userId: 'ann' })).toBe(time.now - 5);
  expect(await deletedAt({ anonymousId: 'bob' })).toBe(time.now);
  expect(await deletedAt({ userId: 'eve' })).toBeUndefined();
});
