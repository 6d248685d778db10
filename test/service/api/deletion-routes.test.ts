import { expect, test } from 'vitest';
import { FakeClock } from '../../support/fake-clock.js';
import { configOf, serving, sourceOf } from '../support.js';

async function served() {
  const clock = new FakeClock();
  const config = configOf({ sources: [sourceOf(), sourceOf({ name: 'app', writeKeys: ['app'] })] });
  const { ask } = await serving(config, { clock });
  return { clock, ask, post: (json: object) => ask('/v1/deletions', { method: 'POST', json }) };
}

test('a deletion is accepted with 202, and can be read by its id', async () => {
  const { ask, post } = await served();
  const { status, body } = await post({ userIds: ['u1', 'u2'] });
  expect({ status, body }).toMatchObject({ status: 202, body: { id: expect.any(String), users: 2 } });
  const report = { id: body.id, users: 2, sources: expect.any(Array) };
  expect(await ask(`/v1/deletions/${body.id}`)).toMatchObject({ status: 200, body: report });
});

test.each<[string, object, string]>([
  ['users that are not a list', { userIds: 'u1' }, 'userIds'],
  ['an empty list', { userIds: [] }, 'userIds'],
  ['too long a list', { userIds: Array.from({ length: 5_001 }, (_, index) => `u${index}`) }, 'userIds'],
  ['an id that is a number', { userIds: ['u1', 7] }, 'userIds[1]'],
  ['an empty id', { userIds: [''] }, 'userIds[0]'],
  ['an id that is too long', { userIds: ['x'.repeat(1_001)] }, 'userIds[0]'],
  ['sources that are not a list', { userIds: ['u1'], sources: 'app' }, 'sources'],
  ['an empty list of sources', { userIds: ['u1'], sources: [] }, 'sources'],
  ['an unknown source', { userIds: ['u1'], sources: ['app', 'none'] }, 'sources[1]'],
])('a deletion with %s is refused with the name of the field, and none is begun', async (_, json, field) => {
  const { ask, post } = await served();
  const { status, body } = await post(json);
  expect({ status, code: body.code }).toEqual({ status: 422, code: 'invalid_field' });
  expect(body.message).toMatch(`\`${field}\`: expected `);
  expect((await ask('/v1/deletions')).body).toEqual([]);
});

test('a deletion with a misspelt field is refused, and none is begun', async () => {
  const { ask, post } = await served();
  const message = '`source` is not a field of this body, which takes userIds, sources, dryRun';
  expect(await post({ userIds: ['u1'], source: ['app'] })).toMatchObject({ status: 422, body: { message } });
  expect((await ask('/v1/deletions')).body).toEqual([]);
});

test.each([
  [{ userIds: [] }, '`userIds`: expected a list of 1 to 5000 user ids, got a list of 0'],
  [{ userIds: Array(5_001).fill('u1') }, '`userIds`: expected a list of 1 to 5000 user ids, got a list of 5001'],
  [
    { userIds: ['u1'], sources: [] },
    '`sources`: expected a list of at least one name of a source, or "all", got a list of 0',
  ],
])('a deletion with a list of the wrong length is refused, and the error names the length', async (json, message) => {
  const { post } = await served();
  expect((await post(json)).body).toMatchObject({ code: 'invalid_field', message });
});

test('a page of deletions after an unknown id is refused', async () => {
  const { ask } = await served();
  const message = '`after`: expected the `id` of the last one of the page before, got string "zz"';
  expect(await ask('/v1/deletions?after=zz')).toMatchObject({ status: 400, body: { code: 'invalid_query', message } });
});

test('deletions are listed newest first, up to the requested number', async () => {
  const { ask, post, clock } = await served();
  const ids: string[] = [];
  for (const user of ['u1', 'u2', 'u3']) {
    ids.unshift((await post({ userIds: [user] })).body.id);
    await clock.pass(1_000);
  }
  const list = async (query: string) => (await ask(`/v1/deletions${query}`)).body.map(({ id }: { id: string }) => id);
  expect(await list('')).toEqual(ids);
  expect(await list('?limit=2')).toEqual(ids.slice(0, 2));
});

test('an unknown deletion is answered as not found', async () => {
  const { ask } = await served();
  expect(await ask('/v1/deletions/none')).toMatchObject({ status: 404, body: { code: 'not_found' } });
});
