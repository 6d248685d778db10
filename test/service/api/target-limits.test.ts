import { describe, expect, onTestFinished, test } from 'vitest';
import { lmdbStorage } from '../../../src/store/lmdb/lmdb-storage.js';
import { newFolder } from '../../cli/files.js';
import { configOf, destinationOf, serving } from '../support.js';

const config = configOf({ destinations: [destinationOf('http://127.0.0.1:9/')] });

describe('a part of a request that is too long', () => {
  const long = 'x'.repeat(5_000);
  const base64 = (text: string): string => Buffer.from(text).toString('base64url');
  const cursor = (at: string, id: string): string => base64(JSON.stringify(['crm', base64(`${at} ${id}`)]));

  test.each([
    ['the id of a delivery', `/v1/deliveries/${long}`, 'invalid_path'],
    ['an id of few characters and many bytes', `/v1/deliveries/${'%E2%82%AC'.repeat(400)}`, 'invalid_path'],
    ['an id that is not UTF-8', '/v1/deliveries/%E2%82', 'invalid_path'],
    ['the id of a deletion', `/v1/deletions/${long}`, 'invalid_path'],
    ['the name of a source', `/v1/sources/${long}/counts`, 'invalid_path'],
    ['the name of a destination', `/v1/destinations/${long}/history`, 'invalid_path'],
    ['the name of an audience', `/v1/audiences/${long}`, 'invalid_path'],
    ['the value of a query', `/v1/status?x=${long}`, 'invalid_query'],
    ['the name of a query', `/v1/status?${long}`, 'invalid_query'],
    ['the URL of a webhook', `/v1/deliveries?phase=dead&endpoint=${long}`, 'invalid_query'],
    ['the id in a cursor', `/v1/deliveries?phase=dead&after=${cursor('1', 'x'.repeat(1_500))}`, 'invalid_query'],
    ['the time in a cursor', `/v1/deliveries?phase=dead&after=${cursor('999999999999999', 'm')}`, 'invalid_query'],
    ['an invalid cursor', '/v1/deliveries?phase=dead&after=%FF', 'invalid_query'],
    ['a limit', `/v1/deletions?limit=${'9'.repeat(50)}`, 'invalid_query'],
    ['a number of hours', `/v1/sources/website/counts?hours=${'9'.repeat(50)}`, 'invalid_query'],
  ])('a request with a part that is too long is refused: %s', async (_, path, code) => {
    const storage = await lmdbStorage({ path: await newFolder() });
    onTestFinished(() => storage.close());
    const { ask } = await serving(config, { storage });
    expect(await ask(path)).toMatchObject({ status: 400, body: { code } });
  });

  test('a replay with an id that is too long is refused', async () => {
    const { ask } = await serving(config);
    const answer = await ask('/v1/deliveries/replay', { method: 'POST', json: { destination: 'crm', id: long } });
    expect(answer).toMatchObject({ status: 422, body: { code: 'invalid_field' } });
  });

  test('the longest id with its source before it is accepted', async () => {
    const { ask } = await serving(config);
    const id = encodeURIComponent(`${'s'.repeat(100)}/${'\u20ac'.repeat(100)}`);
    expect((await ask(`/v1/deliveries/${id}`)).status).toBe(404);
  });
});
