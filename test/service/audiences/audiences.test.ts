import { expect, test } from 'vitest';
import { LEASE_MS } from '../../../src/service/jobs/held-record.js';
import { numbered } from './numbered.js';
import { asleep, heldList, membersOf, settled, setUp, stagedOn } from './support.js';

const NAME = 'High Value Users';
const TRAIT = 'high_value_users';

test('the first list creates the audience and makes a message for every member', async () => {
  const { audiences, taken, keyValues } = setUp();
  const result = await audiences.replace(NAME, ['ann', 'bob', 'ann']);
  expect(result).toEqual({ name: NAME, trait: TRAIT, members: 2, joined: 2, left: 0 });
  expect(taken.messages).toHaveLength(2);
  expect(taken.messages[0]).toEqual({
    type: 'identify',
    messageId: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/),
    userId: 'ann',
    traits: { [TRAIT]: true },
    timestamp: '2026-11-20T12:00:00.000Z',
    receivedAt: '2026-11-20T12:00:00.000Z',
    context: { audience: { name: NAME, sync: expect.stringMatching(/^[\da-f-]{36}$/) } },
  });
  expect(await membersOf(keyValues, TRAIT)).toEqual(['ann', 'bob']);
});

test('a later list makes messages only for changed memberships', async () => {
  const { audiences, taken } = setUp();
  await audiences.replace(NAME, ['ann', 'bob', 'cid']);
  taken.take();
  expect(await audiences.replace(NAME, ['dan', 'bob', 'ann'])).toMatchObject({ members: 3, joined: 1, left: 1 });
  expect(taken.take()).toEqual(['-cid', '+dan']);
});

test('the same list again changes nothing', async () => {
  const { audiences, taken } = setUp();
  await audiences.replace(NAME, numbered(1_200));
  taken.take();
  expect(await audiences.replace(NAME, numbered(1_200))).toMatchObject({ members: 1_200, joined: 0, left: 0 });
  expect(taken.take()).toEqual([]);
});

test('an empty list removes every member, and the audience stays', async () => {
  const { audiences, taken } = setUp();
  await audiences.replace(NAME, ['ann', 'bob']);
  taken.take();
  expect(await audiences.replace(NAME, [])).toMatchObject({ members: 0, left: 2 });
  expect(taken.take()).toEqual(['-ann', '-bob']);
  expect(await audiences.get(NAME)).toMatchObject({ members: 0 });
});

test('a list of many pages is compared with members of many pages', async () => {
  const { audiences, taken, keyValues } = setUp();
  await audiences.replace(NAME, numbered(5_000));
  taken.take();
  const second = numbered(5_000, 2_500).reverse();
  expect(await audiences.replace(NAME, second)).toMatchObject({ members: 5_000, joined: 2_500, left: 2_500 });
  expect(taken.take()).toHaveLength(5_000);
  expect(new Set(await membersOf(keyValues, TRAIT))).toEqual(new Set(second));
});

test('an unsorted list of many runs with repeated users gives the same result as a sorted list', async () => {
  const { audiences, taken, keyValues } = setUp({ stepSize: 7, runSize: 50 });
  const scrambled = Array.from({ length: 3_000 }, (_, index) => `user-${(index * 7_919) % 1_000}`);
  expect(await audiences.replace(NAME, scrambled)).toMatchObject({ members: 1_000, joined: 1_000 });
  expect(taken.take()).toHaveLength(1_000);
  expect(await membersOf(keyValues, TRAIT)).toEqual(numbered(1_000).sort());
  expect(await audiences.replace(NAME, scrambled.slice(0, 500))).toMatchObject({ members: 500, left: 500 });
});

test('a list that throws halfway changes nothing and leaves nothing staged', async () => {
  const { audiences, taken, keyValues } = setUp();
  const broken = async function* (): AsyncGenerator<string> {
    yield* numbered(5_000);
    throw new Error('the connection is gone');
  };
  await expect(audiences.replace(NAME, broken())).rejects.toThrow('the connection is gone');
  expect(await audiences.list()).toEqual([]);
  await audiences.replace(NAME, ['ann']);
  taken.take();
  await expect(audiences.replace(NAME, broken())).rejects.toThrow('the connection is gone');
  expect(await audiences.get(NAME)).toEqual(expect.not.objectContaining({ sync: expect.anything() }));
  expect([taken.take(), await membersOf(keyValues, TRAIT), await stagedOn(keyValues)]).toEqual([[], ['ann'], []]);
});

test('ids of up to 1,000 bytes are kept unchanged, whatever characters they have', async () => {
  const { audiences, taken, keyValues } = setUp();
  const ids = [
    'a/b',
    'a b',
    '%2F',
    '#',
    '~',
    '😀',
    'é'.repeat(500),
    '\u0000',
    'x'.repeat(1_000),
    'ʼ'.repeat(333),
  ].sort();
  await audiences.replace('é'.repeat(100), ids);
  expect((await membersOf(keyValues, 'é'.repeat(100))).sort()).toEqual(ids);
  await audiences.replace('é'.repeat(100), ids.slice(0, 8));
  expect(taken.messages.map(({ userId }) => userId).sort()).toEqual([...ids, ...ids.slice(8)].sort());
  for (const prefix of ['member/', 'staged/', 'audience/']) {
    for (const { key } of await keyValues.list(prefix, undefined, 100)) expect(key.length).toBeLessThanOrEqual(1_000);
  }
});

test('joins and leaves make messages only for changed memberships', async () => {
  const { audiences, taken, keyValues } = setUp();
  await audiences.replace(NAME, ['ann', 'bob']);
  taken.take();
  const result = await audiences.change(NAME, { join: ['bob', 'cid', 'cid'], leave: ['ann', 'dan'] });
  expect(result).toEqual({ name: NAME, trait: TRAIT, members: 2, joined: 1, left: 1 });
  expect(taken.take()).toEqual(['-ann', '+cid']);
  expect(await membersOf(keyValues, TRAIT)).toEqual(['bob', 'cid']);
});

test('a change may have thousands of joins and leaves', async () => {
  const { audiences, taken } = setUp();
  await audiences.replace(NAME, numbered(2_000));
  taken.take();
  const change = { join: numbered(3_000, 2_000), leave: numbered(2_000) };
  expect(await audiences.change(NAME, change)).toMatchObject({ members: 3_000, joined: 3_000, left: 2_000 });
  expect(taken.take()).toHaveLength(5_000);
});

test('joins and leaves for an unknown audience are refused', async () => {
  const { audiences, keyValues } = setUp();
  await expect(audiences.change(NAME, { join: ['ann'] })).rejects.toMatchObject({
    code: 'EVENTFERRY_AUDIENCE_NOT_FOUND',
  });
  expect(await keyValues.list('audience/', undefined, 10)).toEqual([]);
});

test('a change is refused when it has more than 5,000 ids, or one id in both lists', async () => {
  const { audiences, taken } = setUp();
  await audiences.replace(NAME, ['ann']);
  taken.take();
  const code = 'EVENTFERRY_AUDIENCE_INVALID_CHANGE';
  await expect(audiences.change(NAME, { join: ['bob'], leave: ['bob'] })).rejects.toMatchObject({ code });
  await expect(audiences.change(NAME, { join: numbered(5_001) })).rejects.toMatchObject({ code });
  await expect(audiences.change(NAME, { leave: [''] })).rejects.toMatchObject({
    code: 'EVENTFERRY_AUDIENCE_INVALID_MEMBER',
  });
  expect(taken.take()).toEqual([]);
});

test('removing an audience makes a message for every member, and the audience is no longer known', async () => {
  const { audiences, taken, keyValues } = setUp();
  await audiences.replace(NAME, numbered(1_500));
  taken.take();
  expect(await audiences.remove(NAME)).toMatchObject({ members: 0, joined: 0, left: 1_500 });
  expect(taken.take()).toHaveLength(1_500);
  expect(await audiences.get(NAME)).toBeUndefined();
  for (const prefix of ['member/', 'staged/', 'audience/']) {
    expect(await keyValues.list(prefix, undefined, 10)).toEqual([]);
  }
  await expect(audiences.remove(NAME)).rejects.toMatchObject({ code: 'EVENTFERRY_AUDIENCE_NOT_FOUND' });
});

test('a removed audience can be created again, with messages for its members', async () => {
  const { audiences, taken } = setUp();
  await audiences.replace(NAME, ['ann']);
  await audiences.remove(NAME);
  await audiences.replace(NAME, ['ann']);
  expect(taken.messages.map(({ traits }) => traits)).toEqual([true, false, true].map((is) => ({ [TRAIT]: is })));
});

test('the second of two names that make the same trait is refused', async () => {
  const { audiences } = setUp();
  await audiences.replace(NAME, []);
  const refused = audiences.replace('highValueUsers', []);
  await expect(refused).rejects.toMatchObject({
    code: 'EVENTFERRY_AUDIENCE_TRAIT_TAKEN',
    message: '"highValueUsers" makes the trait high_value_users, which the audience "High Value Users" has already',
  });
  expect(await audiences.get('highValueUsers')).toBeUndefined();
  await audiences.remove(NAME);
  await expect(audiences.replace('highValueUsers', [])).resolves.toMatchObject({ trait: TRAIT });
});

test('audiences are listed with name, trait, members and times, sorted by trait', async () => {
  const { audiences, clock } = setUp();
  await audiences.replace('Zebras', ['ann', 'bob']);
  clock.advance(60_000);
  await audiences.replace('Zebras', ['ann']);
  await audiences.replace('Apes', []);
  expect(await audiences.list()).toEqual([
    {
      name: 'Apes',
      trait: 'apes',
      members: 0,
      createdAt: '2026-11-20T12:01:00.000Z',
      syncedAt: '2026-11-20T12:01:00.000Z',
    },
    {
      name: 'Zebras',
      trait: 'zebras',
      members: 1,
      createdAt: '2026-11-20T12:00:00.000Z',
      syncedAt: '2026-11-20T12:01:00.000Z',
    },
  ]);
  expect(await audiences.get('Lions')).toBeUndefined();
});

test('the report of an audience includes the progress of its change', async () => {
  const { audiences, clock } = setUp();
  await audiences.replace(NAME, ['ann']);
  const { list, give, end } = heldList();
  const replaced = audiences.replace(NAME, list);
  await give(numbered(2_000));
  clock.advance(10_000);
  await settled();
  expect(await audiences.get(NAME)).toMatchObject({
    members: 1,
    sync: { phase: 'receiving', received: 2_000, applied: 0 },
  });
  end();
  await replaced;
});

test('an audience is listed while its first list arrives, and is not listed after the receiving process has died', async () => {
  const { keyValues, clock, audiences } = setUp();
  const dead = setUp({ keyValues, clock: asleep(clock) });
  void dead.audiences.replace(NAME, heldList().list).catch(() => {});
  await settled();
  expect(await audiences.get(NAME)).toMatchObject({ members: 0, syncedAt: null, sync: { phase: 'receiving' } });
  clock.advance(LEASE_MS);
  await audiences.resume();
  expect(await audiences.get(NAME)).toBeUndefined();
  expect(await audiences.list()).toEqual([]);
  await expect(audiences.replace('highValueUsers', [])).resolves.toMatchObject({ trait: TRAIT });
});
