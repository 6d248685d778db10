import { cp, mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { lmdbStorage } from '../../src/store/lmdb/lmdb-storage.js';
import { startEndpoint } from '../scheduler/test-endpoint.js';
import { configOf, destinationOf, sendBatch, serving, track } from '../service/support.js';
import { needs } from '../support/command-exists.js';
import { run, runProcess, runUnder, start } from './command.js';
import { newFolder } from './files.js';

const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

/** Creates a store in a folder with this many megabytes, which no process holds open. */
async function filled(megabytes: number): Promise<string> {
  const path = join(await newFolder(), 'data');
  const storage = await lmdbStorage({ path });
  const value = 'x'.repeat(2 ** 20);
  for (let key = 0; key < megabytes; key++) await storage.keyValues.write([{ key: `filling/${key}`, value }]);
  await storage.close();
  return path;
}

async function servingAt(path: string, url: string) {
  const storage = await lmdbStorage({ path });
  onTestFinished(() => storage.close());
  return serving(configOf({ destinations: [destinationOf(url)] }), { storage });
}

const pause = { method: 'PUT', json: { paused: true } };

test('a backup made while a service writes contains everything accepted before, and a service can continue from it', async () => {
  const home = await newFolder();
  const [path, backup] = [join(home, 'data'), join(home, 'backups', 'today')];
  const endpoint = await startEndpoint(200);
  const before = await servingAt(path, endpoint.url);
  await before.ask('/v1/destinations/crm/paused', pause);
  const ids = Array.from({ length: 200 }, (_, number) => `before-${number}`);
  for (const id of ids) expect((await sendBatch(before.url, track(id))).status).toBe(200);

  let isWriting = true;
  const writing = (async () => {
    for (let number = 0; isWriting; number++) await sendBatch(before.url, track(`meanwhile-${number}`));
  })();
  const { code, out } = await runProcess(['backup', path, backup, '--json']);
  isWriting = false;
  await writing;
  expect(code).toBe(0);
  expect(JSON.parse(out)).toEqual({ store: path, backup, bytes: (await stat(join(backup, 'data.mdb'))).size });
  expect(await readdir(join(home, 'backups'))).toEqual(['today']);
  expect((await readdir(backup)).toSorted()).toEqual(['data.mdb', 'eventferry-store.txt']);
  expect(await modeOf(backup)).toBe('700');
  for (const file of await readdir(backup)) expect(await modeOf(join(backup, file))).toBe('600');

  const restored = join(home, 'restored');
  await cp(backup, restored, { recursive: true });
  const after = await servingAt(restored, endpoint.url);
  await after.ask('/v1/destinations/crm/paused', { ...pause, json: { paused: false } });
  const arrived = () => new Set(endpoint.received.map(({ body }) => JSON.parse(String(body)).messageId));
  await expect.poll(() => ids.filter((id) => !arrived().has(id)), { timeout: 20_000 }).toEqual([]);
  expect((await sendBatch(after.url, track('afterwards'))).status).toBe(200);
});

test('backup refuses an existing folder and a folder without a store, and changes nothing there', async () => {
  const path = await filled(0);
  const existing = await newFolder();
  expect(await run(['backup', path, existing])).toMatchObject({
    code: 3,
    err: `backup: ${existing} exists already; give a folder that does not (EVENTFERRY_CLI_UNUSABLE)\n`,
  });
  const target = join(existing, 'copy');
  expect(await run(['backup', existing, target])).toMatchObject({
    code: 3,
    err: `backup: there is no store in ${existing} (ENOENT)\n`,
  });
  expect(await readdir(existing)).toEqual([]);
});

test('a backup that Ctrl-C ends leaves nothing behind', async () => {
  const path = await filled(96);
  const folder = await newFolder();
  const { child, ended } = await start(['backup', path, join(folder, 'copy')]);
  while ((await readdir(folder)).length === 0) await turn();
  child.kill('SIGINT');
  expect(await ended).toMatchObject({ signal: 'SIGINT', out: '' });
  expect(await readdir(folder)).toEqual([]);
});

test('a backup without enough room on the disk says so, and leaves nothing behind', async (context) => {
  needs(context, 'unshare', 'mount');
  const path = await filled(4);
  const disk = join(await newFolder(), 'disk');
  await mkdir(disk);
  const copy = join(disk, 'copy');
  // The last command lists what is left on the disk, which disappears with the process.
  const script = 'mount -t tmpfs -o size=2m none "$0" && "$@"; code=$?; ls -A "$0"; exit $code';
  const namespace = ['--user', '--map-root-user', '--mount', 'sh', '-c', script, disk];
  const { code, out, err } = await runUnder('unshare', namespace, ['backup', path, copy]);
  expect([code, out]).toEqual([3, '']);
  expect(err).toBe(
    `backup: the copy could not be written to ${copy}: No space left on device; the incomplete copy was removed (EVENTFERRY_CLI_UNUSABLE)\n`,
  );
});
