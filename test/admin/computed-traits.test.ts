import { expect, test } from 'vitest';
import { AdminClient } from '../../src/admin/index.js';
import { serveAudiences } from '../service/audiences/serve.js';

const TOKEN = 'a-token-that-nobody-may-see';

/** Starts a server with real traits, and a client for it. */
async function serve() {
  const served = await serveAudiences({ runSize: 1_000 }, TOKEN);
  return { ...served, admin: new AdminClient({ url: served.url, token: TOKEN }) };
}

test('the admin client syncs, changes, reads and deletes the values of a computed trait', async () => {
  const { admin, taken } = await serve();
  const told = () => taken.messages.splice(0).map(({ userId, traits }) => [userId, traits]);
  const values = async function* () {
    yield { userId: 'ann', value: { tier: 'gold' } };
    yield { userId: 'bob', value: 2 };
  };
  expect(await admin.syncTrait('Plan Tier', values())).toMatchObject({ trait: 'plan_tier', users: 2, added: 2 });
  told();
  const change = { set: [{ userId: 'ann', value: 'free' }], remove: ['bob'] };
  expect(await admin.changeTrait('Plan Tier', change)).toMatchObject({ users: 1, changed: 1, removed: 1 });
  expect(told()).toEqual([
    ['ann', { plan_tier: 'free' }],
    ['bob', { plan_tier: null }],
  ]);
  expect(await admin.trait('Plan Tier')).toMatchObject({ name: 'Plan Tier', users: 1 });
  expect((await admin.traits()).map(({ trait }) => trait)).toEqual(['plan_tier']);
  expect(await admin.deleteTrait('Plan Tier')).toMatchObject({ users: 0, removed: 1 });
  await expect(admin.trait('Plan Tier')).rejects.toMatchObject({ code: 'EVENTFERRY_ADMIN_NOT_FOUND' });
});

test('a wrong user or value of a trait is refused with its position, before anything is sent', async () => {
  const admin = new AdminClient({ url: 'http://127.0.0.1:1', token: TOKEN });
  const code = 'EVENTFERRY_ADMIN_INVALID_OPTION';
  const wrong = { userId: 'ann', value: undefined };
  await expect(admin.changeTrait('Score', { set: [wrong] })).rejects.toMatchObject({
    code,
    option: 'change.set[0].value',
  });
  await expect(admin.changeTrait('Score', { remove: [''] })).rejects.toMatchObject({
    code,
    option: 'change.remove[0]',
  });
});
