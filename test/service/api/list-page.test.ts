import { expect, test } from 'vitest';
import { AdminClient } from '../../../src/admin/index.js';
import { configOf, destinationOf, serving, sourceOf, TOKEN } from '../support.js';
import { operations } from './described.js';

const NAMES = ['b', 'a', 'c'];

interface Listed {
  readonly name?: string;
  readonly id?: string;
}

/** Other tests cover these lists: one does not continue after a name, and the setup adds items to the other. */
const OTHERWISE = ['/v1/deliveries', '/v1/changes'];

/** Every list that can be read in parts. */
const LISTS = operations
  .filter(
    ({ method, parameters = [] }) =>
      method === 'GET' && ['limit', 'after'].every((name) => parameters.some((parameter) => parameter.name === name)),
  )
  .map(({ path }) => path)
  .filter((path) => !OTHERWISE.includes(path));

async function withThree() {
  const served = await serving(
    configOf({
      sources: NAMES.map((name) => sourceOf({ name, writeKeys: [`key-${name}`] })),
      destinations: NAMES.map((name) => destinationOf('https://example.com/hook', { name })),
    }),
  );
  for (const name of NAMES) {
    const list = { method: 'PUT', headers: { 'content-type': 'application/x-ndjson' }, body: '"u1"\n' };
    await served.ask(`/v1/audiences/${name}`, list);
    await served.ask(`/v1/traits/t${name}`, { ...list, body: '{"userId":"u1","value":7}\n' });
    await served.ask('/v1/deletions', { method: 'POST', json: { userIds: [`user-${name}`] } });
    await served.ask('/v1/deliveries/discard', { method: 'POST', json: { all: true } });
  }
  return served;
}

test('every list is the same page by page as in one piece', async () => {
  const { ask } = await withThree();
  expect(LISTS.length).toBeGreaterThan(5);
  for (const path of LISTS) {
    // Some lists are returned together with a summary.
    const keysOf = (body: { sources?: Listed[]; destinations?: Listed[] } | Listed[]) =>
      (Array.isArray(body) ? body : (body.sources ?? body.destinations ?? [])).map(({ name, id }) => name ?? id);
    const whole = keysOf((await ask(path)).body);
    expect(whole, `${path}: add three of them to withThree()`).toHaveLength(3);
    const pages: unknown[] = [];
    for (let after = ''; pages.length < 3; after = `&after=${pages.at(-1)}`)
      pages.push(...keysOf((await ask(`${path}?limit=1${after}`)).body));
    expect(pages, path).toEqual(whole);
    expect(keysOf((await ask(`${path}?after=${pages.at(-1)}`)).body), path).toEqual([]);
    expect((await ask(`${path}?limit=0`)).status, path).toBe(400);
  }
});

test('an `after` that names nothing in the list is refused', async () => {
  const { ask } = await withThree();
  expect(await ask('/v1/destinations?after=gone')).toMatchObject({ status: 400, body: { code: 'invalid_query' } });
});

test('the admin client can read a part of a list', async () => {
  const { url } = await withThree();
  const admin = new AdminClient({ url, token: TOKEN });
  expect((await admin.destinations({ limit: 1, after: 'b' })).destinations.map(({ name }) => name)).toEqual(['a']);
});
