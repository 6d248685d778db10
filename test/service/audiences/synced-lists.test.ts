import { expect, test } from 'vitest';
import type { Listed } from '../../../src/service/audiences/given-users.js';
import { memoryStorage } from '../../../src/store/memory/memory-storage.js';
import { runs } from '../../support/runs.js';
import { heldList, membersOf, type Setting, setUp, stagedOn } from './support.js';

const listed = (values: Readonly<Record<string, unknown>>): Listed[] =>
  Object.entries(values).map(([userId, value]) => ({ userId, json: JSON.stringify(value) }));

/** Returns and forgets what users were told, by their ids. */
function told({ taken }: Setting): Record<string, unknown> {
  const messages = taken.messages.splice(0).map(({ userId, traits }) => [String(userId), traits] as const);
  return Object.fromEntries(messages.sort(([a], [b]) => (a < b ? -1 : 1)));
}

test('the first list makes a message for each user with the value, under the trait that the name makes', async () => {
  const setting = setUp();
  const result = await setting.audiences.traits.replace(
    'Lifetime Value',
    listed({ ann: 120.5, bob: { tier: 'gold' } }),
  );
  expect(result).toEqual({
    name: 'Lifetime Value',
    trait: 'lifetime_value',
    users: 2,
    added: 2,
    changed: 0,
    removed: 0,
  });
  expect(setting.taken.messages[0]).toMatchObject({
    type: 'identify',
    userId: 'ann',
    context: { trait: { name: 'Lifetime Value', sync: expect.any(String) } },
  });
  expect(told(setting)).toEqual({ ann: { lifetime_value: 120.5 }, bob: { lifetime_value: { tier: 'gold' } } });
});

test('a later list makes messages only for users whose value changed, and sends null for those no longer listed', async () => {
  const setting = setUp();
  const { traits } = setting.audiences;
  await traits.replace('Score', listed({ ann: 1, bob: { a: 1, b: 2 }, cid: 3, dan: 0 }));
  told(setting);
  const result = await traits.replace('Score', [
    ...listed({ ann: 2, eve: false, dan: 0 }),
    { userId: 'bob', json: '{"a":1,"b":2}' },
  ]);
  expect(result).toMatchObject({ users: 4, added: 1, changed: 1, removed: 1 });
  expect(told(setting)).toEqual({ ann: { score: 2 }, cid: { score: null }, eve: { score: false } });
});

test('a change sets and removes the values of some users, and leaves the others as they are', async () => {
  const setting = setUp();
  const { traits } = setting.audiences;
  await traits.replace('Score', listed({ ann: 1, bob: 2, cid: 3 }));
  told(setting);
  const set = [
    { userId: 'ann', value: 1 },
    { userId: 'bob', value: 5 },
    { userId: 'eve', value: 9 },
  ];
  expect(await traits.change('Score', { set, remove: ['cid', 'fay'] })).toMatchObject({
    users: 3,
    added: 1,
    changed: 1,
    removed: 1,
  });
  expect(told(setting)).toEqual({ bob: { score: 5 }, cid: { score: null }, eve: { score: 9 } });
});

test('removing a trait sends null for everyone who had a value, and the trait is no longer known', async () => {
  const setting = setUp();
  const { traits } = setting.audiences;
  await traits.replace('Score', listed({ ann: 1, bob: 2 }));
  told(setting);
  expect(await traits.remove('Score')).toMatchObject({ users: 0, removed: 2 });
  expect(told(setting)).toEqual({ ann: { score: null }, bob: { score: null } });
  expect(await traits.get('Score')).toBeUndefined();
  expect(await setting.keyValues.list('', undefined, 10)).toEqual([]);
});

test('a user whom a later run of the same list names again keeps the last value', async () => {
  const setting = setUp({ runSize: 2, stepSize: 1 });
  await setting.audiences.traits.replace('Score', [...listed({ ann: 1, bob: 2 }), ...listed({ cid: 3, ann: 4 })]);
  expect(told(setting)).toEqual({ ann: { score: 4 }, bob: { score: 2 }, cid: { score: 3 } });
});

test('a list that breaks off changes nothing', async () => {
  const setting = setUp({ runSize: 2 });
  const { traits } = setting.audiences;
  await traits.replace('Score', listed({ ann: 1 }));
  told(setting);
  const broken = async function* (): AsyncGenerator<Listed> {
    yield* listed({ ann: 2, bob: 3, cid: 4 });
    throw new Error('the query failed');
  };
  await expect(traits.replace('Score', broken())).rejects.toThrow('the query failed');
  expect(told(setting)).toEqual({});
  expect(await stagedOn(setting.keyValues)).toEqual([]);
  expect(await traits.get('Score')).toMatchObject({ users: 1 });
});

test('an audience and a computed trait cannot have the same trait', async () => {
  const { audiences } = setUp();
  await audiences.replace('VIPs', ['ann']);
  await expect(audiences.traits.replace('VIPs', listed({ ann: 1 }))).rejects.toMatchObject({
    code: 'EVENTFERRY_TRAIT_TAKEN',
    message: '"VIPs" makes the trait vips, which the audience "VIPs" has already',
  });
  await audiences.traits.replace('Score', listed({ ann: 1 }));
  await expect(audiences.replace('score', ['ann'])).rejects.toMatchObject({ code: 'EVENTFERRY_AUDIENCE_TRAIT_TAKEN' });
  expect((await audiences.list()).map(({ name }) => name)).toEqual(['VIPs']);
  expect((await audiences.traits.list()).map(({ name }) => name)).toEqual(['Score']);
  expect(await audiences.get('Score')).toBeUndefined();
});

test('a second change of a trait is refused while the first is running', async () => {
  const { audiences } = setUp();
  const { list, give, end } = heldList();
  const first = audiences.replace('VIPs', list);
  await give(['ann']);
  await expect(audiences.traits.replace('vips', [])).rejects.toMatchObject({ code: 'EVENTFERRY_TRAIT_TAKEN' });
  end();
  await first;
});

test('withdrawing a user removes the user from every audience and every computed trait', async () => {
  const setting = setUp();
  const { audiences } = setting;
  await audiences.replace('VIPs', ['ann', 'bob']);
  await audiences.traits.replace('Score', listed({ ann: 1, bob: 2 }));
  setting.taken.messages.splice(0);
  expect(await audiences.withdraw(['ann', 'stranger'], 0)).toBe(true);
  const messages = setting.taken.messages.map(({ userId, traits }) => [userId, traits]);
  expect(messages).toHaveLength(2);
  expect(messages).toEqual(
    expect.arrayContaining([
      ['ann', { score: null }],
      ['ann', { vips: false }],
    ]),
  );
  expect(await membersOf(setting.keyValues, 'score')).toEqual(['bob']);
  expect(await membersOf(setting.keyValues, 'vips')).toEqual(['bob']);
});

test.each([
  [
    { set: [{ userId: 'ann', value: 1 }], remove: ['ann'] },
    'remove[0] names a user for the second time, with another value',
  ],
  [
    { set: Array.from({ length: 5_001 }, (_, i) => ({ userId: `u${i}`, value: 1 })) },
    'Expected at most 5000 users in one change, got 5001; send the full list',
  ],
])(
  'a change with contradictory values for a user, or with too many users, is refused (%#)',
  async (change, message) => {
    const { traits } = setUp().audiences;
    await traits.replace('Score', []);
    await expect(traits.change('Score', change)).rejects.toMatchObject({
      code: 'EVENTFERRY_TRAIT_INVALID_CHANGE',
      message,
    });
  },
);

test.each([
  [{ set: [{ userId: '', value: 1 }] }, 'set[0]: userId: expected a non-empty string, got string ""'],
  [{ set: [{ userId: 'ann', value: undefined }] }, 'set[0]: value: expected a JSON value, got none'],
  [{ remove: [''] }, 'remove[0]: expected a non-empty string, got string ""'],
])(
  'a change with a wrong user or value is refused with an error that says where it is (%#)',
  async (change, message) => {
    const { traits } = setUp().audiences;
    await traits.replace('Score', []);
    await expect(traits.change('Score', change)).rejects.toMatchObject({
      code: 'EVENTFERRY_TRAIT_INVALID_VALUE',
      message,
    });
  },
);

test('a change of an unknown trait and a name without a letter or a digit are refused', async () => {
  const { traits } = setUp().audiences;
  await expect(traits.change('Score', {})).rejects.toMatchObject({
    code: 'EVENTFERRY_TRAIT_NOT_FOUND',
    message: 'There is no trait "Score"',
  });
  await expect(traits.replace('!', [])).rejects.toMatchObject({
    code: 'EVENTFERRY_TRAIT_INVALID_NAME',
    message: expect.stringContaining('Expected the name of a trait to be'),
  });
});

/** The number of users that are sorted at once, the number in one write, and the number of concurrent writes. */
const [RUN, WRITE, MOST_WRITES] = [20_000, 1_000, 9];
const USERS = runs(60_000, 200_000);

test.each([
  ['an audience', ({ audiences }: Setting, ids: Iterable<string>) => audiences.replace('Many', ids)],
  [
    'a computed trait',
    ({ audiences }: Setting, ids: Iterable<string>) =>
      audiences.traits.replace(
        'Many',
        (function* () {
          for (const userId of ids) yield { userId, json: '7' };
        })(),
      ),
  ],
])(
  'at most a run and the concurrent writes of the users of %s are held in memory at once',
  async (_, sync) => {
    const { keyValues } = memoryStorage();
    let [read, written, mostHeld, mostMessages] = [0, 0, 0, 0];
    const write = keyValues.write.bind(keyValues);
    keyValues.write = async (changes) => {
      // A slow store lets users pile up in memory.
      await new Promise(setImmediate);
      await write(changes);
      written += changes.filter(({ key }) => key.includes('user-')).length;
    };
    const setting = setUp({
      keyValues,
      accept: async (messages) => {
        mostMessages = Math.max(mostMessages, messages.length);
      },
      stepSize: 500,
      runSize: RUN,
    });
    const ids = function* (): Generator<string> {
      for (let number = 0; number < USERS; number++) {
        mostHeld = Math.max(mostHeld, ++read - written);
        yield `user-${number}`;
      }
    };
    await sync(setting, ids());
    expect(read).toBe(USERS);
    expect(mostHeld).toBeLessThanOrEqual(RUN + MOST_WRITES * WRITE);
    expect(mostMessages).toBe(500);
  },
  60_000,
);
