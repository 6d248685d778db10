import { expect, onTestFinished, test } from 'vitest';
import { numbered } from '../service/audiences/numbered.js';
import { membersOf, stagedOn, Taken, TestAudiences } from '../service/audiences/support.js';
import { openStorage, startRedis } from './storage.js';

const NAME = 'Users';

/** Audiences in a process of their own, whose messages go to `accept`. */
async function processOf(server: Awaited<ReturnType<typeof startRedis>>, accept: Taken['accept']) {
  const { keyValues } = await openStorage(server, 'shop');
  const audiences = new TestAudiences({ keyValues, accept, onError: () => {} });
  onTestFinished(() => audiences.close());
  return { audiences, keyValues };
}

test('lists and changes of an audience in Redis tell each user who joins or leaves', async () => {
  const taken = new Taken();
  const { audiences, keyValues } = await processOf(await startRedis(), taken.accept);
  expect(await audiences.replace(NAME, numbered(3_000))).toMatchObject({ members: 3_000, joined: 3_000, left: 0 });
  expect(taken.take()).toHaveLength(3_000);
  expect(await audiences.replace(NAME, numbered(3_000, 1_000).reverse())).toMatchObject({ joined: 1_000, left: 1_000 });
  expect(taken.take()).toHaveLength(2_000);
  expect(await audiences.replace(NAME, numbered(3_000, 1_000))).toMatchObject({ members: 3_000, joined: 0, left: 0 });
  await audiences.change(NAME, { join: ['ann', 'user-1000'], leave: ['user-1001', 'bob'] });
  expect(taken.take()).toEqual(['+ann', '-user-1001']);
  expect(new Set(await membersOf(keyValues, 'users'))).toEqual(
    new Set(['ann', ...numbered(3_000, 1_000)].filter((user) => user !== 'user-1001')),
  );
  expect(await audiences.remove(NAME)).toMatchObject({ members: 0, left: 3_000 });
  expect([await membersOf(keyValues, 'users'), await stagedOn(keyValues)]).toEqual([[], []]);
});

test('a change that one process leaves half way in Redis is finished by another, and nobody is told twice', async () => {
  const server = await startRedis();
  const taken = new Taken();
  let calls = 0;
  const first = await processOf(server, async (messages) => {
    if (++calls > 3) throw new Error('no room');
    await taken.accept(messages);
  });
  const replaced = first.audiences.replace(NAME, numbered(5_000));
  await expect(replaced).rejects.toMatchObject({ code: 'EVENTFERRY_AUDIENCE_UNFINISHED' });
  await first.audiences.close();
  expect(taken.messages).toHaveLength(1_500);
  const second = await processOf(server, taken.accept);
  await second.audiences.resume();
  expect(taken.take().sort()).toEqual(
    numbered(5_000)
      .map((user) => `+${user}`)
      .sort(),
  );
  expect(await second.audiences.get(NAME)).toMatchObject({ members: 5_000 });
  expect(await stagedOn(second.keyValues)).toEqual([]);
});
