import { expect, test } from 'vitest';
import { openStorage } from '../../src/service/open-storage.js';
import { recordingLog } from '../service/recording-log.js';
import { startRedis } from './storage.js';

test('a service configured with Redis stores under its prefix, and logs a warning about settings that may lose data', async () => {
  const { url } = await startRedis({ appendfsync: 'everysec' });
  const log = recordingLog();
  const storages = await Promise.all(
    ['one', 'other'].map((prefix) => openStorage({ type: 'redis', url, prefix }, log)),
  );
  await storages[0]?.keyValues.write([{ key: 'a/1', value: 'kept' }]);
  const values = await Promise.all(storages.map(({ keyValues }) => keyValues.get(['a/1'])));
  expect(values).toEqual([['kept'], [undefined]]);
  expect(log.lines[0]).toMatchObject({ level: 'warn', store: 'redis' });
  expect(log.lines[0]?.text).toContain('appendfsync everysec');
  await Promise.all(storages.map((storage) => storage.close()));
});

test('a service whose Redis does not answer at first starts once it does', async () => {
  const server = await startRedis();
  const log = recordingLog();
  server.freeze();
  const opening = openStorage({ type: 'redis', url: server.url, prefix: 'slow' }, log);
  const warnings = () => log.lines.filter(({ text }) => text.startsWith('Redis is slow to answer'));
  await expect.poll(warnings).not.toEqual([]);
  server.thaw();
  await (await opening).close();
});
