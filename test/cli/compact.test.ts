import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Service } from '../../src/service/service.js';
import { lmdbStorage } from '../../src/store/lmdb/lmdb-storage.js';
import { startEndpoint } from '../scheduler/test-endpoint.js';
import { ask, configOf, destinationOf, sendBatch, track } from '../service/support.js';
import { run, runProcess } from './command.js';
import { newFolder } from './files.js';

/** Returns true if any file in the folder contains the text. */
async function holds(folder: string, text: string): Promise<boolean> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const contents = await Promise.all(files.map((file) => readFile(file)));
  return contents.some((content) => content.includes(text));
}

test("after a deletion and compact, no file of the store contains the user's messages", async () => {
  const path = await newFolder();
  const endpoint = await startEndpoint(404);
  const storage = await lmdbStorage({ path });
  const service = await Service.open(configOf({ destinations: [destinationOf(endpoint.url)] }), { storage });
  const { url } = await service.listen();
  for (let n = 0; n < 120; n++) {
    const userId = n < 100 ? 'gone' : 'stays';
    await sendBatch(url, track(`m${n}`, { userId, properties: { text: `private of ${userId} `.repeat(40) } }));
  }
  await endpoint.has(120);
  const { body } = await ask(url, '/v1/deletions', { method: 'POST', json: { userIds: ['gone'] } });
  await expect.poll(async () => (await ask(url, `/v1/deletions/${body.id}`)).body.status).toBe('done');
  await service.close();
  await storage.close();
  expect(await holds(path, 'private of gone')).toBe(true);

  const { code, out } = await run(['compact', path, '--json']);
  expect(code).toBe(0);
  const { store, bytesBefore, bytesAfter } = JSON.parse(out);
  expect(store).toBe(path);
  expect(bytesAfter).toBeLessThan(bytesBefore);
  expect(await holds(path, 'private of gone')).toBe(false);
  expect(await holds(path, 'private of stays')).toBe(true);
  expect((await run(['compact', path])).out).toMatch(/^compacted {2}\S+ {2}[\d,]+ bytes before, [\d,]+ after\n$/);
});

test('compact refuses a store that a process has open, and a folder without one', async () => {
  const path = await newFolder();
  const missing = await run(['compact', path]);
  expect(missing).toMatchObject({ code: 3, out: '', err: `compact: there is no store in ${path} (ENOENT)\n` });
  expect(await readdir(path)).toEqual([]);
  const storage = await lmdbStorage({ path });
  onTestFinished(() => storage.close());
  const { code, err } = await runProcess(['compact', path]);
  expect(code).toBe(3);
  expect(err).toMatch(
    /^compact: process \d+ on \S+ has the store open; end that process first \(EVENTFERRY_STORE_IN_USE\)\n$/,
  );
});
