import { expect, onTestFinished, test } from 'vitest';
import { startEndpoint, type TestEndpoint } from '../../scheduler/test-endpoint.js';
import type { StorageUnderTest } from '../../store/storage-under-test.js';
import { configOf, destinationOf, sendBatch, serving, sourceOf, TOKEN, track } from '../support.js';

const USER = 'victim-77';

/** The first paths of keys under which a user's id stays after a deletion, as docs/deletions.md says. */
const STAYS = { rejections: 'rejections', violations: 'violations' };

/** Tests on every storage that a deletion erases the user's id from every place that had it. */
export function describeErasedUsers({ name, lasts, setUp }: StorageUnderTest): void {
  test(`a finished deletion has erased the id of the user from every place that had it, in ${name}`, async () => {
    const crm: TestEndpoint = await startEndpoint((_, response) => {
      response.writeHead(crm.received.at(-1)?.body.includes('refused') ? 400 : 200).end();
    });
    const storage = await (await setUp())();
    if (lasts) onTestFinished(() => storage.close());
    const { keyValues } = storage;
    const paths = new Set<string>();
    const note = (changes: readonly { readonly key: string }[]): void => {
      for (const { key } of changes) paths.add(key.slice(0, key.indexOf('/') + 1));
    };
    const [write, writeIf] = [keyValues.write.bind(keyValues), keyValues.writeIf.bind(keyValues)];
    keyValues.write = (changes) => {
      note(changes);
      return write(changes);
    };
    keyValues.writeIf = (expected, changes) => {
      note(changes);
      return writeIf(expected, changes);
    };
    const { ask, url } = await serving(
      configOf({
        sources: [sourceOf({ destinations: ['crm'] })],
        destinations: [destinationOf(crm.url)],
        audiences: { destinations: ['crm'] },
      }),
      { storage },
    );
    /** Returns the first paths under which the user's id is stored, except in notifications of the deletion itself. */
    const places = async (): Promise<string[]> => {
      const found = new Set<string>();
      for (const path of paths)
        for (const { key, value } of await keyValues.list(path, undefined, 500))
          if ((key + value).includes(USER) && !value.includes('"type":"delete"')) found.add(path.slice(0, -1));
      return [...found].sort();
    };
    const putList = (path: string, body: string) =>
      fetch(url + path, {
        method: 'PUT',
        headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/x-ndjson' },
        body,
      });
    await putList('/v1/audiences/vips', `"${USER}"`);
    const post = (path: string, json: object) => ask(path, { method: 'POST', json });
    for (const call of ['replay', 'discard']) await post(`/v1/deliveries/${call}`, { destination: 'crm', user: USER });
    await post('/v1/deliveries/discard', { destination: 'crm', user: 'other' });
    await sendBatch(url, track('taken', { userId: USER }), track('refused', { userId: USER, event: 'refused' }));
    await sendBatch(url, track('taken too'), { type: 'track', userId: USER });
    await expect.poll(async () => (await ask('/v1/destinations/crm')).body.deadLetters).toBe(1);
    await expect.poll(places).toEqual(['attempts', 'letters', 'member', 'rejections']);
    const { body } = await post('/v1/deletions', { userIds: [USER] });
    await expect
      .poll(async () => (await ask(`/v1/deletions/${body.id}`)).body.status, { timeout: 20_000 })
      .toBe('done');
    expect((await places()).filter((path) => !(path in STAYS))).toEqual([]);
    const found = (await ask(`/v1/deliveries?user=${USER}`)).body.deliveries;
    expect(found.filter(({ type }: { type: string }) => type === 'track')).toEqual([]);
    const jobs: { filter: object }[] = (await ask('/v1/jobs')).body;
    expect(jobs.map(({ filter }) => filter)).toEqual([{ user: 'other' }, { user: '(deleted)' }, { user: '(deleted)' }]);
  });

  test(`a deletion waits for a replay of its user and then erases the id from it, in ${name}`, async () => {
    let isRefused = true;
    const crm = await startEndpoint((_, response) => response.writeHead(isRefused ? 400 : 200).end());
    const storage = await (await setUp())();
    if (lasts) onTestFinished(() => storage.close());
    const { ask, url } = await serving(configOf({ destinations: [destinationOf(crm.url)] }), { storage });
    await sendBatch(url, ...['m1', 'm2', 'm3'].map((id) => track(id, { userId: USER })));
    await expect.poll(async () => (await ask('/v1/destinations/crm')).body.deadLetters).toBe(3);
    isRefused = false;
    const filter = { destination: 'crm', user: USER, rate: 0.001 };
    const job = await ask('/v1/deliveries/replay', { method: 'POST', json: filter });
    expect(job.body).toMatchObject({ status: 'running' });
    const json = { userIds: [USER], sources: ['website'] };
    const { body } = await ask('/v1/deletions', { method: 'POST', json });
    const statusOf = async () => (await ask(`/v1/deletions/${body.id}`)).body.status;
    await expect.poll(async () => (await ask('/v1/destinations/crm')).body.deadLetters, { timeout: 20_000 }).toBe(0);
    expect(await statusOf()).toBe('running');
    await ask(`/v1/jobs/${job.body.id}`, { method: 'DELETE' });
    await expect.poll(statusOf, { timeout: 20_000 }).toBe('done');
    expect((await ask(`/v1/jobs/${job.body.id}`)).body).toMatchObject({
      filter: { user: '(deleted)' },
      status: 'stopped',
    });
  });
}
